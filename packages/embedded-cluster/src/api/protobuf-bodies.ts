import { type JsonRecord } from './json-value.ts';
import { badRequest } from './statuses.ts';
import { messages, type ProtobufField, type ProtobufMessage } from './protobuf-messages.ts';

/** The media type in which kubectl sends what its `create` subcommands make. */
export const protobufType = 'application/vnd.kubernetes.protobuf';

const magic = Buffer.from('k8s\0');

/**
 * The object in a protobuf body. Covers the kinds that `kubectl create` makes by itself; throws 400 for every other one.
 *
 * @see https://github.com/kubernetes/apimachinery/blob/master/pkg/runtime/generated.proto the envelope `Unknown`
 */
export function decodeProtobuf(body: Buffer): JsonRecord {
  if (!body.subarray(0, magic.length).equals(magic))
    throw badRequest('the body does not begin as Kubernetes protobuf does');
  const envelope = rawFields(body.subarray(magic.length));
  const head = rawFields(bytesOf(envelope, 1));
  const [apiVersion, kind] = [bytesOf(head, 1).toString(), bytesOf(head, 2).toString()];
  const message = messages[kind];
  if (!message) throw badRequest(`${kind} in protobuf is not understood: send it as JSON`);
  return { apiVersion, kind, ...decodeMessage(bytesOf(envelope, 2), message) };
}

type RawField = readonly [number: number, value: Buffer | number];

function bytesOf(fields: readonly RawField[], wanted: number): Buffer {
  const value = fields.find(([number]) => number === wanted)?.[1];
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
}

function rawFields(bytes: Buffer): RawField[] {
  const fields: RawField[] = [];
  let offset = 0;
  const readVarint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[offset];
      if (byte === undefined) throw badRequest('the protobuf body ends too early');
      offset += 1;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (offset < bytes.length) {
    const tag = readVarint();
    const wireType = tag & 7;
    if (wireType !== 0 && wireType !== 2) throw badRequest(`protobuf wire type ${wireType} is not understood`);
    const value = readVarint();
    if (wireType === 2) fields.push([tag >> 3, bytes.subarray(offset, (offset += value))]);
    else fields.push([tag >> 3, value]);
  }
  return fields;
}

function decodeMessage(bytes: Buffer, message: ProtobufMessage): JsonRecord {
  const decoded: JsonRecord = {};
  for (const [number, raw] of rawFields(bytes)) {
    const field = message[number];
    if (!field) continue;
    const value = decodeValue(raw, field);
    if (value === undefined) continue;
    if (field.shape === 'list') decoded[field.name] = [...((decoded[field.name] ?? []) as unknown[]), value];
    else if (field.shape === 'map') decoded[field.name] = { ...(decoded[field.name] ?? {}), ...(value as object) };
    else decoded[field.name] = value;
  }
  return decoded;
}

function decodeValue(raw: Buffer | number, field: ProtobufField): unknown {
  if (field.shape === 'map') return Buffer.isBuffer(raw) ? mapEntry(raw, field) : undefined;
  if (typeof field.type === 'object')
    return Buffer.isBuffer(raw) ? nonEmpty(decodeMessage(raw, field.type)) : undefined;
  return decodeScalar(raw, field.type);
}

function decodeScalar(raw: Buffer | number, type: ProtobufField['type']): unknown {
  // Unset fields that are no pointers travel as empty text and 0.
  if (type === 'boolean') return raw === 1;
  if (!Buffer.isBuffer(raw)) return raw === 0 ? undefined : raw;
  if (type === 'time') return timeText(raw);
  if (type === 'bytes') return raw.toString('base64');
  return raw.length === 0 ? undefined : raw.toString();
}

function timeText(raw: Buffer): string | undefined {
  const seconds = rawFields(raw).find(([number]) => number === 1)?.[1];
  return typeof seconds === 'number' ? new Date(seconds * 1000).toISOString().replace('.000Z', 'Z') : undefined;
}

function mapEntry(raw: Buffer, field: ProtobufField): JsonRecord {
  const entry = rawFields(raw);
  const value = bytesOf(entry, 2);
  return { [bytesOf(entry, 1).toString()]: value.toString(field.type === 'bytes' ? 'base64' : 'utf8') };
}

function nonEmpty(record: JsonRecord): JsonRecord | undefined {
  return Object.keys(record).length === 0 ? undefined : record;
}
