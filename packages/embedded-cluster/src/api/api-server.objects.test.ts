import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from './api-server.ts';
import { call, type TestRequest } from './testing/api-client.ts';
import { widget, widgetDefinition, widgetsPath } from './testing/widget-definition.ts';

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ crds: [widgetDefinition()] });
});
afterAll(() => server.close());

const send = (path: string, request?: TestRequest) => call(server.url + path, request);
const post = (body: unknown, path = widgetsPath) => send(path, { method: 'POST', body });
const put = (path: string, body: unknown) => send(path, { method: 'PUT', body });
const merge = (path: string, body: unknown) =>
  send(path, { method: 'PATCH', body, contentType: 'application/merge-patch+json' });
const ready = { conditions: [{ type: 'Ready', status: 'True' }] };

describe('create', () => {
  it('fills in what the server keeps', async () => {
    const { status, body } = await post(widget('filled'));
    expect(status).toBe(201);
    expect(body).toMatchObject({ kind: 'Widget', apiVersion: 'example.test/v1', spec: { size: 1, color: 'red' } });
    expect(body.metadata).toMatchObject({ name: 'filled', namespace: 'default', generation: 1 });
    expect(body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(body.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(0);
  });

  it('leaves aside the status, and metadata that only the server may write', async () => {
    const metadata = { uid: 'mine', generation: 7, creationTimestamp: '2020-01-01T00:00:00Z' };
    const { body } = await post({ ...widget('aside', { size: 1 }, metadata), status: ready });
    expect(body.status).toBeUndefined();
    expect(body.metadata).toMatchObject({ generation: 1 });
    expect(body.metadata.uid).not.toBe('mine');
    expect(body.metadata.creationTimestamp).not.toBe('2020-01-01T00:00:00Z');
  });

  it('makes a name from generateName', async () => {
    const sent = { ...widget(''), metadata: { generateName: 'made-' } };
    const names = [(await post(sent)).body.metadata.name, (await post(sent)).body.metadata.name];
    expect(names[0]).toMatch(/^made-[a-z0-9]{5}$/);
    expect(names[0]).not.toBe(names[1]);
  });

  it.each([
    ['no name', { ...widget(''), metadata: {} }, 422, 'Invalid', 'metadata.name: Required value'],
    ['a name with capitals', widget('Big'), 422, 'Invalid', 'metadata.name: Invalid value: "Big"'],
    ['a taken name', widget('filled'), 409, 'AlreadyExists', 'widgets.example.test "filled" already exists'],
    ['another kind', { ...widget('x'), kind: 'Gadget' }, 400, 'BadRequest', 'Gadget'],
    ['another version', { ...widget('x'), apiVersion: 'example.test/v2' }, 400, 'BadRequest', 'example.test/v2'],
    ['another namespace', widget('x', { size: 1 }, { namespace: 'other' }), 400, 'BadRequest', 'namespace'],
    ['a label that is none', widget('x', { size: 1 }, { labels: { a: 'b c' } }), 422, 'Invalid', 'metadata.labels'],
    [
      'metadata of a wrong type',
      widget('x', { size: 1 }, { labels: { a: 1 } }),
      400,
      'BadRequest',
      'metadata.labels.a',
    ],
    ['no object', [], 400, 'BadRequest', 'unrecognized'],
    ['broken JSON', '{', 400, 'BadRequest', 'json parse error'],
  ])('refuses %s', async (_case, body, code, reason, message) => {
    const answer = await post(body);
    expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', code, reason });
    expect(answer.body['message']).toContain(message);
  });

  it('refuses an object in a namespace that does not exist', async () => {
    const { body } = await post(widget('x'), widgetsPath.replace('default', 'nowhere'));
    expect(body).toMatchObject({ code: 404, message: 'namespaces "nowhere" not found' });
  });

  it('names every wrong field in the message and in the causes', async () => {
    const { body } = await post(widget('wrong', { size: 0, color: 'blue' }));
    expect(body).toMatchObject({
      code: 422,
      reason: 'Invalid',
      details: {
        name: 'wrong',
        group: 'example.test',
        kind: 'Widget',
        causes: [
          { field: 'spec.size', reason: 'FieldValueInvalid' },
          { field: 'spec.color', reason: 'FieldValueNotSupported' },
        ],
      },
    });
    expect(body['message']).toBe(
      'Widget.example.test "wrong" is invalid: [spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1, ' +
        'spec.color: Unsupported value: "blue": supported values: "red", "green"]',
    );
  });

  it.each([
    ['', 201, ['299 - "unknown field \\"spec.typo\\""']],
    ['?fieldValidation=Warn', 201, ['299 - "unknown field \\"spec.typo\\""']],
    ['?fieldValidation=Ignore', 201, undefined],
    ['?fieldValidation=Strict', 400, undefined],
  ])('treats an unknown field as %s asks', async (query, status, warnings) => {
    const answer = await post(
      { ...widget(''), metadata: { generateName: 'typo-' }, spec: { size: 1, typo: 1 } },
      widgetsPath + query,
    );
    expect(answer.status).toBe(status);
    expect(answer.headers.warning?.split(', ')).toEqual(warnings);
    const refusal = 'strict decoding error: unknown field "spec.typo"';
    // Word for word what kube-apiserver 1.34 answers.
    const message = `Widget in version "v1" cannot be handled as a Widget: ${refusal}`;
    if (status === 400) expect(answer.body['message']).toBe(message);
    else expect(answer.body.spec).toEqual({ size: 1, color: 'red' });
  });

  it('only pretends when asked for a dry run', async () => {
    expect((await post(widget('dry'), `${widgetsPath}?dryRun=All`)).status).toBe(201);
    expect((await send(`${widgetsPath}/dry`)).status).toBe(404);
  });

  it('takes YAML, and refuses other types', async () => {
    const body = 'apiVersion: example.test/v1\nkind: Widget\nmetadata: {name: yaml}\nspec: {size: 2}\n';
    expect((await send(widgetsPath, { method: 'POST', body, contentType: 'application/yaml' })).status).toBe(201);
    const refused = await send(widgetsPath, { method: 'POST', body, contentType: 'text/plain' });
    expect(refused.body).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' });
  });

  it('refuses a body of more than 3 MiB', async () => {
    const note = 'x'.repeat(3 * 1024 * 1024);
    expect((await post(widget('huge', { size: 1, note }))).body).toMatchObject({
      code: 413,
      reason: 'RequestEntityTooLarge',
    });
  });
});

describe('update', () => {
  it('is refused when the object has changed since it was read', async () => {
    const { body: read } = await post(widget('raced'));
    expect((await put(`${widgetsPath}/raced`, { ...read, spec: { size: 2 } })).status).toBe(200);
    const late = await put(`${widgetsPath}/raced`, { ...read, spec: { size: 3 } });
    expect(late.body).toMatchObject({ code: 409, reason: 'Conflict' });
    expect(late.body['message']).toContain(
      'the object has been modified; please apply your changes to the latest version',
    );
  });

  it('needs a resourceVersion for a custom resource, and none for a ConfigMap', async () => {
    await post(widget('blind'));
    const refused = await put(`${widgetsPath}/blind`, widget('blind', { size: 2 }));
    expect(refused.body).toMatchObject({ code: 422, details: { causes: [{ field: 'metadata.resourceVersion' }] } });
    const path = '/api/v1/namespaces/default/configmaps';
    await post({ metadata: { name: 'blind' } }, path);
    expect((await put(`${path}/blind`, { metadata: { name: 'blind' }, data: { a: 'b' } })).status).toBe(200);
  });

  it('of an object that was recreated in between is refused', async () => {
    const { body: first } = await post(widget('again'));
    await send(`${widgetsPath}/again`, { method: 'DELETE' });
    const { body: second } = await post(widget('again'));
    const metadata = { ...first.metadata, resourceVersion: second.metadata.resourceVersion };
    expect((await put(`${widgetsPath}/again`, { ...first, metadata })).body).toMatchObject({ code: 409 });
  });

  it('of an absent object is refused', async () => {
    expect((await put(`${widgetsPath}/none`, widget('none'))).body).toMatchObject({ code: 404, reason: 'NotFound' });
  });

  it('that changes nothing is no write', async () => {
    const { body: read } = await post(widget('same'));
    const { body: written } = await put(`${widgetsPath}/same`, read);
    expect(written).toEqual(read);
  });
});

describe('generation and the status subresource', () => {
  it.each([
    ['spec', '', { spec: { size: 2 } }, 2],
    ['labels', '', { metadata: { labels: { a: 'b' } } }, 1],
    ['annotations', '', { metadata: { annotations: { a: 'b' } } }, 1],
    ['status through the main resource', '', { status: ready }, 1],
    ['status', '/status', { status: ready }, 1],
    ['spec through the status subresource', '/status', { spec: { size: 2 }, status: ready }, 1],
  ])('a change of %s', async (_case, subresource, patch, generation) => {
    await post({ ...widget('counted') });
    const { body } = await merge(`${widgetsPath}/counted${subresource}`, patch);
    expect(body.metadata.generation).toBe(generation);
    await send(`${widgetsPath}/counted`, { method: 'DELETE' });
  });

  it('the main resource keeps the status, the subresource everything else', async () => {
    const { body: read } = await post(widget('split'));
    const { body: withStatus } = await put(`${widgetsPath}/split/status`, {
      ...read,
      metadata: { ...read.metadata, labels: { a: 'b' } },
      spec: { size: 9 },
      status: ready,
    });
    expect(withStatus).toMatchObject({ spec: { size: 1 }, status: ready });
    expect(withStatus.metadata.labels).toBeUndefined();
    const { body: withSpec } = await put(`${widgetsPath}/split`, {
      ...withStatus,
      spec: { size: 2 },
      status: undefined,
    });
    expect(withSpec).toMatchObject({ spec: { size: 2 }, status: ready });
    expect((await send(`${widgetsPath}/split/status`)).body).toEqual(withSpec);
  });

  it('a bad status does not hinder a write of the spec', async () => {
    const { body: read } = await post({ ...widget('bad-status'), status: { count: 'many' } });
    expect(read.kind).toBe('Widget');
    const refused = await merge(`${widgetsPath}/bad-status/status`, { status: { count: 'many' } });
    expect(refused.body).toMatchObject({ code: 422, details: { causes: [{ field: 'status.count' }] } });
  });
});

describe('delete', () => {
  it('answers a Status that names the object', async () => {
    const { body: created } = await post(widget('gone'));
    const { body } = await send(`${widgetsPath}/gone`, { method: 'DELETE', body: { propagationPolicy: 'Foreground' } });
    const { uid } = created.metadata;
    expect(body).toMatchObject({
      status: 'Success',
      details: { name: 'gone', group: 'example.test', kind: 'widgets', uid },
    });
    expect((await send(`${widgetsPath}/gone`)).body).toMatchObject({
      message: 'widgets.example.test "gone" not found',
    });
  });

  it('keeps an object that finalizers hold, until the last is gone', async () => {
    await post(widget('held', { size: 1 }, { finalizers: ['example.test/a'] }));
    const { body: marked } = await send(`${widgetsPath}/held`, { method: 'DELETE' });
    expect(marked.metadata.deletionTimestamp).toMatch(/Z$/);
    expect(marked.metadata.generation).toBe(2);
    expect((await send(`${widgetsPath}/held`, { method: 'DELETE' })).body).toEqual(marked);
    const added = await merge(`${widgetsPath}/held`, {
      metadata: { finalizers: ['example.test/a', 'example.test/b'] },
    });
    expect(added.body).toMatchObject({ code: 422, details: { causes: [{ field: 'metadata.finalizers' }] } });
    expect((await merge(`${widgetsPath}/held`, { metadata: { finalizers: null } })).status).toBe(200);
    expect((await send(`${widgetsPath}/held`)).status).toBe(404);
  });

  it.each([
    ['another uid', { preconditions: { uid: 'other' } }, 409],
    ['an older resourceVersion', { preconditions: { resourceVersion: '1' } }, 409],
    ['an unknown propagation policy', { propagationPolicy: 'Sideways' }, 400],
    ['a dry run', { dryRun: ['All'] }, 200],
  ])('leaves the object with %s', async (_case, body, status) => {
    await post(widget('kept'));
    expect((await send(`${widgetsPath}/kept`, { method: 'DELETE', body })).status).toBe(status);
    expect((await send(`${widgetsPath}/kept`)).status).toBe(200);
  });

  it('of a collection removes what the selector selects', async () => {
    for (const name of ['c1', 'c2', 'c3'])
      await post(widget(name, { size: 1 }, { labels: { set: name === 'c3' ? 'b' : 'a' } }));
    const { body } = await send(`${widgetsPath}?labelSelector=set%3Da`, { method: 'DELETE' });
    expect(body).toMatchObject({
      kind: 'WidgetList',
      items: [{ metadata: { name: 'c1' } }, { metadata: { name: 'c2' } }],
    });
    expect((await send(`${widgetsPath}/c1`)).status).toBe(404);
    expect((await send(`${widgetsPath}/c3`)).status).toBe(200);
  });

  it('of a namespace removes all that is in it', async () => {
    await post({ metadata: { name: 'passing' } }, '/api/v1/namespaces');
    await post(widget('inside'), widgetsPath.replace('default', 'passing'));
    expect((await send('/api/v1/namespaces/passing/serviceaccounts/default')).status).toBe(200);
    await send('/api/v1/namespaces/passing', { method: 'DELETE' });
    expect((await send('/api/v1/namespaces/passing')).status).toBe(404);
    expect((await send(`${widgetsPath.replace('default', 'passing')}/inside`)).status).toBe(404);
    expect((await send('/api/v1/namespaces/passing/serviceaccounts/default')).status).toBe(404);
  });
});

describe('the in-process calls', () => {
  it('create and merge, patch the status, read and delete', async () => {
    const path = `${widgetsPath}/direct`;
    expect(await server.apply(widget('direct'))).toMatchObject({ metadata: { generation: 1 } });
    expect(await server.apply(widget('direct', { size: 5 }))).toMatchObject({
      spec: { size: 5 },
      metadata: { generation: 2 },
    });
    await server.patch(`${path}/status`, { status: ready });
    expect(await server.get(path)).toMatchObject({ status: ready });
    expect(await server.get(`${widgetsPath}?fieldSelector=metadata.name%3Ddirect`)).toMatchObject({
      items: [{ status: ready }],
    });
    await server.delete(path);
    await expect(server.get(path)).rejects.toMatchObject({ code: 404, reason: 'NotFound' });
  });

  it('refuse what nothing is served for, and misspelt fields', async () => {
    await expect(server.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' } })).rejects.toMatchObject({
      code: 400,
    });
    await expect(server.apply(widget('x', { size: 1, sise: 2 }))).rejects.toThrow('unknown field "spec.sise"');
  });

  it('hand out copies', async () => {
    const read = await server.apply(widget('copied'));
    read['spec'] = { size: 100 };
    expect(await server.get(`${widgetsPath}/copied`)).toMatchObject({ spec: { size: 1 } });
  });
});
