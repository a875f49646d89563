import { type SpecProblem } from './spec-problem.ts';

const hex64 = /^sha256:[0-9a-f]{64}$/;
const registryText = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?$/;
const repositoryText = /^[a-z0-9_\-./]{2,255}$/;
const tagText = /^[A-Za-z0-9_\-.]{1,128}$/;

interface ReferenceParts {
  readonly name: string;
  readonly tag?: string;
  readonly digest?: string;
}

const splitReference = (text: string): ReferenceParts => {
  const at = text.indexOf('@');
  const digest = at < 0 ? {} : { digest: text.slice(at + 1) };
  const rest = at < 0 ? text : text.slice(0, at);
  const colon = rest.lastIndexOf(':');
  // A colon before the last slash belongs to the port of the registry.
  if (colon < 0 || rest.includes('/', colon)) return { name: rest, ...digest };
  return { name: rest.slice(0, colon), tag: rest.slice(colon + 1), ...digest };
};

const nameFault = (name: string): string | undefined => {
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  const hasRegistry = first.includes('.') || first.includes(':');
  if (hasRegistry && !registryText.test(first)) return `"${first}" is no registry host`;
  const repository = hasRegistry ? name.slice(slash + 1) : name;
  if (repository.length < 2) return 'the repository has fewer than 2 characters';
  if (repository.length > 255) return 'the repository has more than 255 characters';
  if (!repositoryText.test(repository)) {
    return `the repository "${repository}" may have small letters, digits and _ - . / only`;
  }
  return undefined;
};

const tagFault = (tag: string | undefined): string | undefined =>
  tag === undefined || tagText.test(tag)
    ? undefined
    : `the tag "${tag}" must have 1 to 128 letters, digits and _ - . only`;

/** Why the text is no reference of an image, in one clause; undefined when it is one. */
export const referenceFault = (text: string): string | undefined => {
  const { name, tag, digest } = splitReference(text);
  const digestFault =
    digest === undefined || hex64.test(digest) ? undefined : 'the digest must be sha256: and 64 hex digits';
  return nameFault(name) ?? tagFault(tag) ?? digestFault;
};

/** Problems of a required field that names an image to read, by tag or by digest. */
export const checkImage = (field: string, text: string | undefined): readonly SpecProblem[] => {
  if (text === undefined || text === '') return [{ field, message: 'is missing: name an image' }];
  const fault = referenceFault(text);
  return fault === undefined ? [] : [{ field, message: `"${text}" is not an image reference: ${fault}` }];
};

/** Problems of a required field that names the tag to write. */
export const checkTag = (field: string, text: string | undefined): readonly SpecProblem[] => {
  if (text?.includes('@') === true) {
    return [
      { field, message: `"${text}" carries a digest: an image can only be written to a tag; leave the digest out` },
    ];
  }
  return checkImage(field, text);
};
