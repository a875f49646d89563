/** A field of a protobuf message: its name in JSON, and what it holds. */
export interface ProtobufField {
  readonly name: string;
  readonly type: 'text' | 'bytes' | 'integer' | 'boolean' | 'time' | ProtobufMessage;
  readonly shape?: 'list' | 'map';
}

/** The fields of a message, by number. */
export type ProtobufMessage = Readonly<Record<number, ProtobufField>>;

const text = (name: string): ProtobufField => ({ name, type: 'text' });
const texts = (name: string): ProtobufField => ({ name, type: 'text', shape: 'list' });
const textMap = (name: string): ProtobufField => ({ name, type: 'text', shape: 'map' });
const byteMap = (name: string): ProtobufField => ({ name, type: 'bytes', shape: 'map' });
const flag = (name: string): ProtobufField => ({ name, type: 'boolean' });
const integer = (name: string): ProtobufField => ({ name, type: 'integer' });

const objectMeta: ProtobufMessage = {
  1: text('name'),
  2: text('generateName'),
  3: text('namespace'),
  5: text('uid'),
  6: text('resourceVersion'),
  7: integer('generation'),
  8: { name: 'creationTimestamp', type: 'time' },
  9: { name: 'deletionTimestamp', type: 'time' },
  11: textMap('labels'),
  12: textMap('annotations'),
  14: texts('finalizers'),
};
const metadata: ProtobufField = { name: 'metadata', type: objectMeta };

const objectReference: ProtobufMessage = {
  1: text('kind'),
  2: text('namespace'),
  3: text('name'),
  4: text('uid'),
  5: text('apiVersion'),
  6: text('resourceVersion'),
  7: text('fieldPath'),
};

/**
 * The kinds that are understood in protobuf.
 *
 * @see https://github.com/kubernetes/api/blob/master/core/v1/generated.proto
 * @see https://github.com/kubernetes/apimachinery/blob/master/pkg/apis/meta/v1/generated.proto
 */
export const messages: Readonly<Record<string, ProtobufMessage>> = {
  Namespace: { 1: metadata },
  Secret: { 1: metadata, 2: byteMap('data'), 3: text('type'), 4: textMap('stringData'), 5: flag('immutable') },
  ConfigMap: { 1: metadata, 2: textMap('data'), 3: byteMap('binaryData'), 4: flag('immutable') },
  ServiceAccount: {
    1: metadata,
    2: { name: 'secrets', type: objectReference, shape: 'list' },
    3: { name: 'imagePullSecrets', type: { 1: text('name') }, shape: 'list' },
    4: flag('automountServiceAccountToken'),
  },
  DeleteOptions: {
    1: integer('gracePeriodSeconds'),
    2: { name: 'preconditions', type: { 1: text('uid'), 2: text('resourceVersion') } },
    4: text('propagationPolicy'),
    5: texts('dryRun'),
  },
};
