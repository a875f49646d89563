import { parse as parseYaml } from 'yaml';
import { type ApiRequest } from './api-request.ts';
import { badRequest, unsupportedMediaType } from './statuses.ts';
import { decodeProtobuf, protobufType } from './protobuf-bodies.ts';

const parsers: Readonly<Record<string, (body: Buffer) => unknown>> = {
  'application/json': (body) => JSON.parse(body.toString()) as unknown,
  'application/yaml': (body) => parseYaml(body.toString()) as unknown,
};

/**
 * The object in the body of a create, replace or delete. Protobuf is for built-in kinds alone, as on a real server.
 * Throws 400 when it can't be read, 415 for another type.
 */
export function readBody({ contentType, body }: ApiRequest, isBuiltIn: boolean): unknown {
  const type = mediaTypeOf(contentType) || 'application/json';
  if (isBuiltIn && type === protobufType) return decodeProtobuf(body);
  const parse = parsers[type];
  if (!parse) throw unsupportedMediaType([...Object.keys(parsers), ...(isBuiltIn ? [protobufType] : [])]);
  try {
    return parse(body);
  } catch (error) {
    throw badRequest(
      `couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** The media type without its parameters. */
export function mediaTypeOf(contentType: string): string {
  return contentType.split(';')[0]?.trim() ?? '';
}
