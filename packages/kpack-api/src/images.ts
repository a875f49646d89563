import { type Static } from 'typebox';
import { type CelRule, group, optional, text } from './fields.ts';

const maxReferenceLength = 1024;

/** Rule of a field that names an image to read. */
const readableRule: CelRule = {
  rule: "self.matches('^[^\\\\s@]+(@sha256:[0-9a-f]{64})?$')",
  message:
    'must be an image reference such as registry.example/team/image:tag or registry.example/team/image@sha256:<64 hex digits>',
};

/** A required field that names an image to read, by tag or by digest. */
export const imageField = (description: string) =>
  text(description, { minLength: 1, maxLength: maxReferenceLength, rules: [readableRule] });

/** A field that names one image. */
export const imageSource = (description: string) =>
  group({ image: imageField('Reference of the image, by tag or by digest.') }, description);

/** An image that was looked up; kpack stores `{}` while nothing was resolved. */
export const resolvedImageSchema = group(
  {
    latestImage: optional(text('The image with the digest that was found.')),
    image: optional(text('The reference as it stood in the spec.')),
  },
  'The image that was found.',
);
/** An image as the spec names it (`image`) and with the digest that was found (`latestImage`). */
export type ResolvedImage = Static<typeof resolvedImageSchema>;
