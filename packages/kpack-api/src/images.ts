import { type Static } from 'typebox';
import { type CelRule, group, optional, text } from './fields.ts';

/** Host, repository, tag and digest have at most 255, 255, 128 and 71 characters. The bound keeps CEL within its budget. */
const maxReferenceLength = 768;

const registry = String.raw`([A-Za-z0-9_-]*[.][A-Za-z0-9._-]*(:[0-9]+)?|[A-Za-z0-9._-]+:[0-9]+|\[[0-9A-Fa-f:.]+\](:[0-9]+)?)`;
// Without a host, the first segment has neither dot nor colon, or there is no second one.
const repository = `(${registry}/[a-z0-9_./-]{2,255}|[a-z0-9_-]*/[a-z0-9_./-]+|[a-z0-9_.-]{2,255})`;
const tag = '(:[A-Za-z0-9_.-]{1,128})?';
const digest = '(@sha256:[0-9a-f]{64})?';

// A raw string, so that CEL sees the same characters as the engine of the regular expression.
const matches = (pattern: string) => `self.matches(r'^${pattern}$')`;

const readableRule: CelRule = {
  rule: matches(repository + tag + digest),
  message:
    'must be an image reference, such as registry.example/team/image:tag or registry.example/team/image@sha256:<64 hex digits>',
};

const writableRules: readonly CelRule[] = [
  {
    rule: "!self.contains('@')",
    message: 'must not carry a digest: an image is written to a tag, such as registry.example/team/builder:base',
  },
  {
    rule: `self.contains('@') || ${matches(repository + tag)}`,
    message: 'must be a repository with or without a tag, such as registry.example/team/builder:base',
  },
];

/** A required field that names an image to read, by tag or by digest. */
export const imageField = (description: string) =>
  text(description, { minLength: 1, maxLength: maxReferenceLength, rules: [readableRule] });

/** A required field that names the tag an image is written to. */
export const tagField = (description: string) =>
  text(description, { minLength: 1, maxLength: maxReferenceLength, rules: writableRules });

/** An object that names one image to read. */
export const imageSource = (description: string) =>
  group({ image: imageField('The image, by tag or by digest.') }, description);

/** Where a status keeps an image that was looked up; kpack stores `{}` while it found none. */
export const resolvedImage = (description: string) =>
  group(
    {
      latestImage: optional(text('Repository and digest of the image that was found.')),
      image: optional(text('The reference as the spec gave it.')),
    },
    description,
  );
/** An image as the spec names it (`image`) and with the digest that was found (`latestImage`). */
export type ResolvedImage = Static<ReturnType<typeof resolvedImage>>;
