import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { webhookKey } from '../../../src/conventions/events/webhook-signature.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../support/api-under-test.ts';
import { as, callerTokens } from '../support/caller-tokens.ts';
import { runs } from '../../extent.ts';

const RESOURCES = `
resources:
  products:
    events: full
    schema: { type: object, required: [name], properties: { name: { type: string }, price: { type: integer } } }
  notes: { schema: { type: object, properties: { text: { type: string } } } }
  drafts: { events: none, schema: { type: object, properties: { text: { type: string } } } }
`;
const OPEN = `
name: shop
webhooks: { allow_hosts: [hooks.internal] }
${RESOURCES}`;
const AUTHENTICATED = `
name: shop
webhooks: {}
auth:
  api_keys: true
  issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }]
${RESOURCES}`;

const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const SCOPES = ['webhooks:read', 'webhooks:write', 'products:read'];
const ANN = as({ subject: 'ann', scopes: SCOPES, claims: { tenant: 'a' } });
const BOB = as({ subject: 'bob', scopes: SCOPES });
const ADMIN = as({ subject: 'root', scopes: [...SCOPES, 'webhooks:admin'] });

const webhook = (more: object = {}): object => ({ url: 'https://example.com/hooks', event_types: ['*'], ...more });

function create(api: ApiUnderTest, body: object = {}, headers: Readonly<Record<string, string>> = {}): Promise<Seen> {
  return api.send({ send: 'POST /api/v1/webhooks', headers, body: webhook(body) });
}

function patch(api: ApiUnderTest, id: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  return api.send({ send: `PATCH /api/v1/webhooks/${id}`, headers: { ...MERGE, ...headers }, body });
}

async function readDetail(response: Promise<Seen>): Promise<string> {
  const { status, body, text } = await response;
  assert.equal(status, 400, text);
  assert.equal(body.errorCode, 'WEBHOOK_INVALID', text);
  return `${body.details[0].field} ${body.details[0].message}`;
}

describe('webhooks as a resource', () => {
  it('[EVT-4a] [EVT-4g] are created, read, changed and deleted like any other, without events', async () => {
    await using api = await apiUnderTest(OPEN);
    const made = await create(api, { description: 'orders' });
    assert.equal(made.status, 201, made.text);
    const { id, secret, ...shown } = made.body;
    const { created_at: _c, updated_at: _u, links: _l, ...values } = shown;
    assert.deepEqual(values, {
      url: 'https://example.com/hooks',
      event_types: ['*'],
      format: 'native',
      status: 'enabled',
      disabled_reason: null,
      ordered: false,
      filter: null,
      version: '1',
      description: 'orders',
      owner: null,
      creator: null,
      claims: null,
      key_id: null,
      failing_since: null,
      start: 0,
      revision: values.revision,
    });
    assert.equal((await patch(api, id, { event_types: ['product.*'], ordered: true })).status, 200);
    const read = await api.send({ send: `GET /api/v1/webhooks/${id}` });
    assert.deepEqual([read.body.event_types, read.body.ordered, 'secret' in read.body], [['product.*'], true, false]);
    const list = await api.send({ send: 'GET /api/v1/webhooks?status=enabled' });
    assert.equal(list.body.data.length, 1);
    assert.ok(!list.text.includes(secret));
    assert.deepEqual(await api.newEvents(), []);
    assert.equal((await api.send({ send: `DELETE /api/v1/webhooks/${id}` })).status, 204);
    assert.deepEqual(await api.newEvents(), []);
  });

  it('[EVT-4b] have a secret that is shown once and stored encrypted, and further ones for a rotation', async () => {
    await using api = await apiUnderTest(OPEN);
    const { id, secret } = (await create(api)).body;
    assert.match(secret, /^whsec_/);
    assert.equal(webhookKey(secret)?.length, 32);
    const rotated = await api.send({ send: `POST /api/v1/webhooks/${id}/secrets`, body: {} });
    assert.equal(rotated.status, 201, rotated.text);
    assert.equal(webhookKey(rotated.body.secret)?.length, 32);
    const list = await api.send({ send: `GET /api/v1/webhooks/${id}/secrets` });
    assert.deepEqual([list.body.data.length, 'secret' in list.body.data[0]], [1, false]);
    const row = await api.store.rows.item({
      kind: 'item',
      resource: 'webhooks',
      id,
      within: [],
      visible: { kind: 'everything' },
    });
    assert.ok(typeof row?.['secret'] === 'string' && !row['secret'].includes(secret.slice(6)));
  });

  it('[EVT-4g] take their sub-resources along when they are deleted', async () => {
    await using api = await apiUnderTest(OPEN);
    const { id } = (await create(api)).body;
    for (const [name, body] of [
      ['secrets', {}],
      ['deliveries', { type: 'webhook.ping' }],
      ['replays', { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' }],
    ] as const) {
      const made = await api.send({ send: `POST /api/v1/webhooks/${id}/${name}`, body });
      assert.equal(made.status, 201, made.text);
    }
    assert.equal((await api.send({ send: `DELETE /api/v1/webhooks/${id}` })).status, 204);
    assert.deepEqual(await api.newEvents(), []);
  });

  it('[EVT-4a] have patterns that match an event; the nearest one is suggested', async () => {
    await using api = await apiUnderTest(OPEN);
    for (const types of [['*'], ['product.*'], ['product.created', 'note.deleted'], ['webhook.disabled']])
      assert.equal((await create(api, { event_types: types })).status, 201);
    const detail = (...types: string[]): Promise<string> => readDetail(create(api, { event_types: types }));
    assert.match(
      await detail('product.created', 'product.updatd'),
      /^event_types\[1\] .*did you mean product\.updated\?/,
    );
    assert.match(await detail('products.*'), /^event_types\[0\] .*did you mean product\.\*\?/);
    assert.match(await detail('draft.created'), /^event_types\[0\] matches no type of event/);
    assert.match(await detail('webhook.created'), /^event_types\[0\] matches no type of event/);
    assert.match(await detail('Product'), /^event_types\[0\] /);
  });

  it('[EVT-4a] have a filter in the grammar of row policies, on events with data', async () => {
    await using api = await apiUnderTest(OPEN);
    const products = { event_types: ['product.*'] };
    for (const filter of ['{"price":{"gt":5}}', '{"any":[{"name":"a"},{"price":1}]}', 'true'])
      assert.equal((await create(api, { ...products, filter })).status, 201, filter);
    const detail = (filter: string, more: object = products): Promise<string> =>
      readDetail(create(api, { ...more, filter }));
    assert.match(await detail('{"price":'), /^filter must be the JSON of a policy/);
    assert.match(await detail('[1]'), /^filter must be the JSON of a policy/);
    assert.match(await detail('{"prize":1}'), /^filter is no policy of products: .*price/);
    assert.match(await detail('{"text":"a"}', { event_types: ['note.*'] }), /^filter needs events with data/);
    for (const path of ['created_at', 'updated_at'])
      assert.match(
        await detail(`{"not":{"${path}":{"gt":"2026-01-01T00:00:00Z"}}}`),
        /^filter must not compare [a-z]+_at, which/,
      );
    assert.match(await detail('{"any":[true,{"revision":1}]}'), /^filter must not compare revision, which/);
    const disabled = { event_types: ['webhook.disabled'] };
    assert.equal((await create(api, { ...disabled, filter: '{"disabled_reason":"gone"}' })).status, 201);
    for (const [path, value] of [
      ['description', 'x'],
      ['creator.subject', 'x'],
      ['start', { exists: false }],
    ] as const)
      assert.match(
        await detail(JSON.stringify({ [path]: value }), disabled),
        new RegExp(`^filter must not compare ${path}, which`),
      );
  });

  it('[EVT-4a] have a filter on all events where all resources have data, whatever the fields of webhooks', async () => {
    await using api = await apiUnderTest(OPEN.replace(/  notes: .*/, '').replace(/  drafts: .*/, ''));
    const filter = '{"price":{"gt":5}}';
    assert.equal((await create(api, { filter })).status, 201);
    for (const named of ['webhook.*', 'webhook.disabled'])
      assert.match(
        await readDetail(create(api, { filter, event_types: ['*', named] })),
        /^filter is no policy of webhooks: price/,
      );
  });

  it('[EVT-4g] are deleted with any number of deliveries', async () => {
    await using api = await apiUnderTest(OPEN);
    const [busy, other] = [(await create(api)).body.id, (await create(api)).body.id];
    // More than 500 are deleted in steps; 10,000 are the most of a cascade.
    const many = runs(601, 10_001);
    const pings = (count: number): string => '{"type":"webhook.ping"}\n'.repeat(count);
    for (const [id, count] of [
      [busy, many],
      [other, 1],
    ] as const) {
      const send = `POST /api/v1/webhooks/${id}/deliveries`;
      const made = await api.send({ send, headers: { 'Content-Type': 'application/x-ndjson' }, body: pings(count) });
      assert.equal(made.status, 200);
    }
    const stale = { 'If-Match': '"999999"' };
    const refused = await api.send({ send: `DELETE /api/v1/webhooks/${busy}`, headers: stale });
    assert.equal(refused.status, 412, refused.text);
    const first = await api.send({ send: `GET /api/v1/webhooks/${busy}/deliveries?limit=1&page=${many}` });
    assert.equal(first.body.page.count, 1, first.text);
    const deleted = await api.send({ send: `DELETE /api/v1/webhooks/${busy}` });
    assert.equal(deleted.status, 204, deleted.text);
    assert.equal((await api.send({ send: `GET /api/v1/webhooks/${busy}/deliveries` })).status, 404);
    const left = await api.send({ send: `GET /api/v1/webhooks/${other}/deliveries` });
    assert.equal(left.body.data.length, 1);
    assert.deepEqual(await api.store.events.after(0, 10), []);
  });

  it('[EVT-4a] have a version that is served', async () => {
    await using api = await apiUnderTest(OPEN);
    assert.equal((await create(api, { version: '1.0' })).status, 201);
    assert.match(await readDetail(create(api, { version: '2' })), /^version must be a version that is served/);
  });

  it('[EVT-7] have a URL of a public host, and no response says what its name resolves to', async () => {
    const addresses: Record<string, string> = { 'private.test': '10.1.2.3', 'hooks.internal': '10.1.2.3' };
    await using api = await apiUnderTest(OPEN, {
      resolve: async (host) => {
        const address = addresses[host];
        if (host === 'unknown.test') throw new Error('no such name');
        return [{ address: address ?? '93.184.215.14', family: 4 }];
      },
    });
    for (const url of ['https://public.test/', 'https://hooks.internal:444/', 'https://8.8.8.8:8443/a'])
      assert.equal((await create(api, { url })).status, 201, url);
    const refused = [
      'http://public.test/',
      'https://user:pass@public.test/',
      'https://public.test:22/',
      'https://private.test/',
      'https://unknown.test/',
      'https://127.0.0.1/',
      'https://[::ffff:127.0.0.1]/',
      'https://0x7f.1/',
      'https://169.254.169.254/latest',
      'no url',
    ];
    for (const url of refused) {
      const got = await create(api, { url });
      assert.deepEqual(
        [got.status, got.body.errorCode, got.body.details[0].field],
        [400, 'WEBHOOK_URL_FORBIDDEN', 'url'],
      );
      assert.ok(!got.text.includes('10.1.2.3'));
    }
    const messages = await Promise.all(
      ['https://private.test/', 'https://unknown.test/'].map(
        async (url) => (await create(api, { url })).body.errorMessage,
      ),
    );
    assert.equal(messages[0], messages[1]);
    const { id } = (await create(api)).body;
    assert.equal((await patch(api, id, { url: 'https://private.test/' })).body.errorCode, 'WEBHOOK_URL_FORBIDDEN');
    assert.equal((await patch(api, id, { description: 'x' })).status, 200);
  });

  it('[EVT-4d] send an event of a delivery again, or a ping, and nothing else', async () => {
    await using api = await apiUnderTest(OPEN);
    const { id } = (await create(api)).body;
    const send = (body: object): Promise<Seen> => api.send({ send: `POST /api/v1/webhooks/${id}/deliveries`, body });
    const ping = await send({ type: 'webhook.ping' });
    assert.deepEqual([ping.status, ping.body.status, ping.body.type], [201, 'pending', 'webhook.ping'], ping.text);
    for (const body of [{}, { type: 'product.created' }, { event_id: '0196a1b2-0000-7000-8000-000000000000' }])
      assert.equal((await send(body)).body.errorCode, 'WEBHOOK_DELIVERY_INVALID');
  });

  it('[EVT-4e] replay a window of the log', async () => {
    await using api = await apiUnderTest(OPEN);
    const { id } = (await create(api)).body;
    const times: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      api.clock.advance(60_000);
      times.push(new Date(api.clock.now()).toISOString());
      await api.send({ send: 'POST /api/v1/products', body: { name: `p${index}` } });
    }
    const replay = async (from: string, to: string): Promise<Seen> => {
      const made = await api.send({ send: `POST /api/v1/webhooks/${id}/replays`, body: { from, to } });
      // A webhook has at most one pending replay.
      if (made.status === 201) await api.send({ send: `DELETE /api/v1/webhooks/${id}/replays/${made.body.id}` });
      return made;
    };
    const window = (await replay(times[1] ?? '', times[3] ?? '')).body;
    assert.deepEqual([window.after, window.last, window.status], [1, 4, 'pending']);
    const all = (await replay('2020-01-01T00:00:00Z', '2030-01-01T00:00:00Z')).body;
    assert.deepEqual([all.after, all.last], [0, 5]);
    const none = (await replay('2020-01-01T00:00:00Z', '2020-01-01T00:00:00Z')).body;
    assert.deepEqual([none.after, none.last], [0, 0]);
    assert.equal((await replay(times[3] ?? '', times[1] ?? '')).body.errorCode, 'WEBHOOK_REPLAY_INVALID');
  });
});

describe('the creator of a webhook', () => {
  const open = (): Promise<ApiUnderTest> => apiUnderTest(AUTHENTICATED, { tokens: callerTokens() });

  it('[EVT-4f] is its owner: other callers do not see it, administrators do', async () => {
    await using api = await open();
    const { id, owner, creator } = (await create(api, {}, ANN)).body;
    assert.deepEqual([owner.endsWith('ann'), creator.subject, creator.scopes], [true, 'ann', SCOPES.toSorted()]);
    const status = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await api.send({ send: `GET /api/v1/webhooks/${id}`, headers })).status;
    assert.deepEqual([await status(ANN), await status(BOB), await status(ADMIN)], [200, 404, 200]);
    const below = await api.send({ send: `GET /api/v1/webhooks/${id}/deliveries`, headers: BOB });
    assert.equal(below.status, 404);
    assert.equal((await create(api, {}, as({ subject: 'eve', scopes: ['products:read'] }))).status, 403);
    const claims = async (headers: Readonly<Record<string, string>>): Promise<unknown> =>
      (await api.send({ send: `GET /api/v1/webhooks/${id}`, headers })).body.claims;
    assert.deepEqual([await claims(ANN), await claims(ADMIN)], [undefined, '{"tenant":"a"}']);
  });

  it('[EVT-4f] is recorded again with each change; an administrator takes a webhook over, or stops it', async () => {
    await using api = await open();
    const { id } = (await create(api, {}, ANN)).body;
    const narrower = as({ subject: 'ann', scopes: ['webhooks:read', 'webhooks:write'] });
    const changed = await patch(api, id, { description: 'x' }, narrower);
    assert.deepEqual(changed.body.creator.scopes, ['webhooks:read', 'webhooks:write']);
    const stopped = await patch(api, id, { status: 'disabled' }, ADMIN);
    assert.deepEqual([stopped.body.status, stopped.body.creator.subject], ['disabled', 'ann']);
    const taken = await patch(api, id, { status: 'enabled', url: 'https://other.test/' }, ADMIN);
    assert.equal(taken.body.creator.subject, 'root');
    assert.equal((await api.send({ send: `GET /api/v1/webhooks/${id}`, headers: ANN })).status, 404);
  });

  it('[EVT-4f] [EVT-4g] may be an API key: with it, its webhooks are disabled, with an event', async () => {
    await using api = await open();
    const root = as({ subject: 'root', scopes: [...SCOPES, 'api-keys:write', 'api-keys:read'] });
    const key = async (): Promise<{ id: string; headers: Record<string, string> }> => {
      const got = await api.send({ send: 'POST /api/v1/api-keys', headers: root, body: { name: 'k', scopes: SCOPES } });
      return { id: got.body.id, headers: { Authorization: `Bearer ${got.body.key}` } };
    };
    const [one, other] = [await key(), await key()];
    const mine = await create(api, {}, one.headers);
    assert.equal(mine.status, 201, mine.text);
    assert.equal(mine.body.key_id, one.id);
    await create(api, {}, other.headers);
    await api.newEvents();
    assert.equal((await api.send({ send: `DELETE /api/v1/api-keys/${one.id}`, headers: root })).status, 204);
    const shown = await api.send({ send: 'GET /api/v1/webhooks?sort=id', headers: ADMIN });
    const states = shown.body.data.map((each: { status: string; disabled_reason: string | null }) => [
      each.status,
      each.disabled_reason,
    ]);
    assert.deepEqual(states, [
      ['disabled', 'key_revoked'],
      ['enabled', null],
    ]);
    const events = await api.newEvents();
    const { data } = events.find(({ type }) => type === 'webhook.disabled')?.payload ?? assert.fail();
    assert.deepEqual([data?.['owner'], data?.['disabled_reason']], [mine.body.owner, 'key_revoked']);
    assert.ok(data !== undefined && !('claims' in data) && !('creator' in data));
    const types = events.map(({ type, payload }) => [type, payload.resource.id]);
    assert.deepEqual(
      types.filter(([type]) => type === 'webhook.disabled'),
      [['webhook.disabled', mine.body.id]],
    );
  });
});

describe('the model of webhooks', () => {
  const problem = (text: string): string => {
    try {
      loadModel({ text });
      return '';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  const model = (webhooks: string, resource = 'notes'): string =>
    `name: shop\nwebhooks: ${webhooks}\nresources:\n  ${resource}: { singular: thing, schema: { type: object, properties: { text: { type: string } } } }\n`;

  it('[EVT-6a] [EVT-7] has a schedule, a time limit and hosts', () => {
    const { webhooks } = loadModel({
      text: model('{ retry: [0s, 1m], timeout: 3s, allow_hosts: [a.test, 10.0.0.0/8] }'),
    }).model;
    assert.deepEqual([webhooks?.retry, webhooks?.timeout], [[0, 60_000], 3_000]);
    assert.equal(loadModel({ text: model('{}') }).model.webhooks?.retry.length, 10);
    assert.match(problem(model('{ allow_hosts: ["10.0.0.1/8"] }')), /10\.0\.0\.1\/8 is not a valid host/);
  });

  it('[EVT-4a] reserves the names of their collections', () => {
    assert.match(problem(model('{}', 'deliveries')), /deliveries is a collection of webhooks/);
    assert.match(problem(model('{}', 'webhooks')), /webhooks is a collection of webhooks/);
    assert.equal(
      problem(`name: shop\n${model('{}', 'webhooks').replace(/^.*\n/, '')}system: { webhooks: hooks }\n`),
      '',
    );
  });
});
