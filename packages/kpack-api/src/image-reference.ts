import { type SpecProblem } from './spec-problem.ts';

const registryText = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]+))?$/;
const repositoryText = /^[a-z0-9_./-]*$/;
const tagText = /^[A-Za-z0-9_.-]{1,128}$/;
const digestText = /^sha256:[0-9a-f]{64}$/;
const maxPort = 65_535;

interface ReferenceParts {
  readonly registry?: string;
  readonly repository: string;
  readonly tag?: string;
  readonly digest?: string;
}

const cutAt = (text: string, index: number): readonly [string, string] | undefined =>
  index < 0 ? undefined : [text.slice(0, index), text.slice(index + 1)];

const split = (text: string): ReferenceParts => {
  const [named, digest] = cutAt(text, text.indexOf('@')) ?? [text];
  const colon = named.lastIndexOf(':');
  // A colon before a slash belongs to the port of the registry.
  const [name, tag] = cutAt(named, named.includes('/', colon) ? -1 : colon) ?? [named];
  const [first, rest] = cutAt(name, name.indexOf('/')) ?? ['', name];
  const where = /[.:]/.test(first) ? { registry: first, repository: rest } : { repository: name };
  return { ...where, ...(tag !== undefined && { tag }), ...(digest !== undefined && { digest }) };
};

const registryFault = (registry: string): string | undefined => {
  const found = registryText.exec(registry);
  if (found === null) return `"${registry}" is not a registry host`;
  return Number(found[1] ?? '0') > maxPort ? `"${registry}" has a port above ${maxPort}` : undefined;
};

const repositoryFault = (repository: string): string | undefined => {
  if (!repositoryText.test(repository)) {
    return `the repository "${repository}" may only have small letters, digits and _ - . /`;
  }
  if (repository.length < 2 || repository.length > 255) return 'the repository must have 2 to 255 characters';
  return repository.split('/').includes('') ? `the repository "${repository}" has an empty part` : undefined;
};

/**
 * Why the text does not name an image, in one clause; undefined when it does.
 *
 * A bare name is a repository of Docker Hub, as in `docker pull`: the first part is a host only with a dot or a colon in it.
 */
export const referenceFault = (text: string): string | undefined => {
  const { registry, repository, tag, digest } = split(text);
  if (registry !== undefined && registryFault(registry) !== undefined) return registryFault(registry);
  const fault = repositoryFault(repository);
  if (fault !== undefined) return fault;
  if (tag !== undefined && !tagText.test(tag)) {
    return `the tag "${tag}" must have 1 to 128 letters, digits and _ - . only`;
  }
  return digest === undefined || digestText.test(digest) ? undefined : 'the digest must be sha256: and 64 hex digits';
};

/** Problems of a required field that names an image to read, by tag or by digest. */
export const checkImage = (field: string, text: string | undefined): readonly SpecProblem[] => {
  if (text === undefined || text === '') return [{ field, message: 'is missing: name an image' }];
  const fault = referenceFault(text);
  return fault === undefined ? [] : [{ field, message: `"${text}" is not an image reference: ${fault}` }];
};

/** Problems of a required field that names the tag to write. */
export const checkTag = (field: string, text: string | undefined): readonly SpecProblem[] => {
  if (text === undefined || text === '') {
    return [{ field, message: 'is missing: name the repository, with or without a tag, to write the image to' }];
  }
  if (!text.includes('@')) return checkImage(field, text);
  return [{ field, message: `"${text}" carries a digest, and an image is written to a tag: leave the digest out` }];
};
