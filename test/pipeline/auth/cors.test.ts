import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { RESPONSE_FIELDS } from '../../../src/conventions/headers/field-names.ts';
import { ROUTES } from '../../../src/plan/routes/route-table.ts';
import { type ApiUnderTest, apiUnderTest, rawRequest, type Seen } from '../support/api-under-test.ts';
import { mounts, open } from '../support/transports.ts';

const NOTES = `
resources:
  notes: { id: client, schema: { type: object, properties: { text: { type: string } } } }
`;
const APP = 'https://app.example.com';
const EVIL = 'https://evil.example';
const NAMED = `name: desk\ncors: { origins: ['${APP}/', capacitor://localhost], max_age: 60 }\n${NOTES}`;
const CREDENTIALS = `name: desk\ncors: { origins: ['${APP}'], credentials: true }\n${NOTES}`;
const ANYONE = `name: desk\ncors: { origins: ['*', '${APP}'] }\n${NOTES}`;
const OFF = `name: desk\n${NOTES}`;

const models = { NAMED, CREDENTIALS, ANYONE, OFF };
type ModelName = keyof typeof models;
const apis = new Map<ModelName, ApiUnderTest>();
before(async () => {
  for (const [name, model] of Object.entries(models)) apis.set(name as ModelName, await apiUnderTest(model));
});
after(async () => {
  for (const api of apis.values()) await api.close();
});

function of(name: ModelName): ApiUnderTest {
  const api = apis.get(name);
  assert.ok(api !== undefined);
  return api;
}

/** The CORS fields of a response, without the list of exposed fields. */
function corsFields({ headers }: Pick<Seen, 'headers'>): Readonly<Record<string, string>> {
  const fields = [...headers].filter(([name]) => name.startsWith('access-control-'));
  return Object.fromEntries(fields.filter(([name]) => name !== 'access-control-expose-headers'));
}

const preflight = (method: string, origin = APP) => ({ Origin: origin, 'Access-Control-Request-Method': method });
const list = (text: string | undefined): readonly string[] => (text ?? '').split(', ');

/** One request for each kind of response: data, 304, writes, health, and every way to fail. */
const EXCHANGES: readonly (readonly [
  send: string,
  status: number,
  headers?: Record<string, string>,
  body?: unknown,
])[] = [
  ['GET /api', 200],
  ['GET /api/v1/notes', 200],
  ['HEAD /api/v1/notes', 200],
  ['GET /api/v1/notes?page=1', 200, { Accept: 'text/csv' }],
  ['GET /api/v1/notes/kept', 200],
  ['GET /api/v1/notes/kept', 304, { 'If-None-Match': '*' }],
  ['PUT /api/v1/notes/kept', 200, {}, { text: 'x' }],
  ['PATCH /api/v1/notes/kept', 412, { 'If-Match': '"1"' }, { text: 'x' }],
  ['POST /api/v1/notes', 400, {}, { unknown: 1 }],
  ['POST /api/v1/notes', 413, {}, { text: 'x'.repeat(1_100_000) }],
  ['POST /api/v1/notes', 415, { 'Content-Type': 'image/png' }, 'x'],
  ['POST /api/v1/notes', 403, { Origin: EVIL, 'Sec-Fetch-Site': 'cross-site' }, {}],
  ['GET /api/v1/notes/', 308],
  ['GET /api/v1/notes/none', 404],
  ['GET /nothing', 404],
  ['GET /api/v2/notes', 404],
  ['DELETE /api/v1/notes', 405],
  ['GET /api/v1/notes', 406, { Accept: 'image/png' }],
  ['GET /api/v1/notes', 417, { Expect: 'x' }],
  ['GET /api/v1/notes/%zz', 400],
  ['GET /livez', 200],
  ['OPTIONS /api/v1/notes', 204],
  ['OPTIONS *', 204],
];

describe('a response to a page of another origin', () => {
  before(async () => {
    for (const api of apis.values()) {
      await api.row({ send: 'PUT /api/v1/notes/kept', body: {}, status: 201, events: ['note.created'] });
      await api.row({ send: 'PUT /api/v1/notes/kept', body: { text: 'a' }, status: 200, events: ['note.updated'] });
    }
  });

  for (const [send, status, headers = {}, body] of EXCHANGES) {
    it(`[OPS-3a, NEG-3b] allows the origins of the model and varies by them: ${send} ${status}`, async () => {
      const origin = { Origin: APP, ...headers };
      const evil = origin.Origin === EVIL;
      const got = await of('NAMED').send({ send, headers: origin, body });
      assert.equal(got.status, status, got.text);
      assert.deepEqual(corsFields(got), evil ? {} : { 'access-control-allow-origin': APP });
      assert.equal(list(got.headers.get('vary')).filter((name) => name === 'Origin').length, 1);
      assert.equal(got.headers.get('cross-origin-resource-policy'), evil ? 'same-origin' : 'cross-origin');
    });

    it(`[OPS-3a] has no CORS field where the model declares none: ${send} ${status}`, async () => {
      const got = await of('OFF').send({ send, headers: { Origin: APP, ...headers }, body });
      assert.deepEqual(
        [...got.headers.keys()].filter((name) => name.startsWith('access-control')),
        [],
      );
      assert.doesNotMatch(got.headers.get('vary') ?? '', /Origin/);
      assert.equal(got.headers.get('cross-origin-resource-policy'), 'same-origin');
    });

    it(`[OPS-3a] is the same for every origin where the model allows all: ${send} ${status}`, async () => {
      const responses = [APP, EVIL, 'null', undefined].map((origin) => {
        const { Origin: _replaced, ...rest } = headers;
        return of('ANYONE').send({
          send,
          headers: { ...rest, ...(origin === undefined ? {} : { Origin: origin }) },
          body,
        });
      });
      for (const got of await Promise.all(responses)) {
        assert.deepEqual(corsFields(got), { 'access-control-allow-origin': '*' });
        assert.doesNotMatch(got.headers.get('vary') ?? '', /Origin/);
        assert.equal(got.headers.get('cross-origin-resource-policy'), 'cross-origin');
      }
    });
  }

  for (const origin of [
    EVIL,
    'null',
    'https://app.example.com:444',
    'http://app.example.com',
    'https://app.example.com.evil.example',
    '*',
    '',
  ]) {
    it(`[OPS-3a] does not allow an origin that the model does not name: ${origin}`, async () => {
      const got = await of('NAMED').send({ send: 'GET /api/v1/notes', headers: { Origin: origin } });
      assert.deepEqual(corsFields(got), {});
      assert.equal(got.headers.get('access-control-expose-headers'), undefined);
      assert.equal(got.headers.get('cross-origin-resource-policy'), 'same-origin');
      assert.match(got.headers.get('vary') ?? '', /\bOrigin\b/);
    });
  }

  it('[OPS-3a] allows origins with a scheme of their own', async () => {
    const got = await of('NAMED').send({ send: 'GET /api/v1/notes', headers: { Origin: 'capacitor://localhost' } });
    assert.deepEqual(corsFields(got), { 'access-control-allow-origin': 'capacitor://localhost' });
  });

  it('[OPS-3a] allows credentials where the model does', async () => {
    const got = await of('CREDENTIALS').send({ send: 'GET /api/v1/notes', headers: { Origin: APP } });
    const allowed = { 'access-control-allow-origin': APP, 'access-control-allow-credentials': 'true' };
    assert.deepEqual(corsFields(got), allowed);
  });

  it('[OPS-3a, NEG-3b] varies by the origin after the version', async () => {
    const vary = 'Accept, Accept-Encoding, Prefer, API-Version, Origin';
    const got = await of('NAMED').send({ send: 'GET /api/notes' });
    assert.equal(got.headers.get('vary'), vary);
  });

  it('[OPS-3a] exposes every field that responses have', async () => {
    const rows: readonly Parameters<ApiUnderTest['send']>[0][] = [
      ...EXCHANGES.map(([send, , headers, body]) => ({ send, body, headers: { ...headers } })),
      { send: 'POST /api/notes', headers: { 'Idempotency-Key': 'k' }, body: { id: 'new', text: 'y'.repeat(3000) } },
      {
        send: 'POST /api/notes',
        headers: { 'Idempotency-Key': 'k', Prefer: 'handling=lenient' },
        body: { id: 'new', text: 'y'.repeat(3000) },
      },
      { send: 'POST /api/v1/notes?dry_run=true', headers: { Prefer: 'handling=lenient' }, body: { id: 'dry', x: 1 } },
      { send: 'GET /api/v1/notes/new', headers: { 'Accept-Encoding': 'br' } },
      { send: 'GET /api/v1/notes?limit=1', headers: { Accept: 'application/x-ndjson' } },
      { send: 'OPTIONS /api/v1/notes/new' },
      { send: 'POST /api/v1/notes', headers: { 'Content-Encoding': 'x' }, body: {} },
    ];
    const seen = new Set<string>();
    for (const row of rows) {
      const got = await of('NAMED').send({ ...row, headers: { ...row.headers, Origin: APP } });
      const exposed = new Set(list(got.headers.get('access-control-expose-headers')).map((name) => name.toLowerCase()));
      for (const name of got.headers.keys()) {
        if (name.startsWith('access-control-')) continue;
        assert.ok(exposed.has(name), `${name} of ${row.send}`);
        seen.add(name);
      }
    }
    await of('NAMED').newEvents();
    for (const name of ['etag', 'location', 'link', 'x-total-count', 'x-next-cursor', 'idempotent-replayed', 'dry-run'])
      assert.ok(seen.has(name), `${name} was never sent`);
  });

  it('[OPS-3a] exposes no field that no response has', () => {
    assert.equal(new Set(RESPONSE_FIELDS).size, RESPONSE_FIELDS.length);
    assert.ok(RESPONSE_FIELDS.every((name) => /^[A-Za-z-]+$/.test(name)));
  });

  it('[OPS-3a, MET-13] has the fields once for a batch, and in no result', async () => {
    const operations = [
      { method: 'DELETE', path: '/notes/none' },
      { method: 'PATCH', path: '/notes/kept', body: { text: 'batched' } },
    ];
    const got = await of('NAMED').row({
      send: 'POST /api/v1/batches',
      headers: { Origin: APP },
      body: { atomic: false, operations },
      status: 201,
      events: ['note.updated'],
    });
    assert.equal(got.headers.get('access-control-allow-origin'), APP);
    assert.doesNotMatch(JSON.stringify(got.body.results), /access-control|Vary/i);
  });
});

describe('a preflight', () => {
  before(async () => {
    for (const api of apis.values()) await api.newEvents();
  });

  for (const [target, kind] of [
    ['/api', 'root'],
    ['/api/v1', 'root'],
    ['/api/v1/notes', 'collection'],
    ['/api/v1/notes/kept', 'item'],
    ['/api/v1/notes/none', 'item'],
    ['/api/v1/batches', 'batches'],
    ['/livez', 'live'],
  ] as const) {
    it(`[OPS-3a] lists the methods of its target: ${target}`, async () => {
      const got = await of('NAMED').row({ send: `OPTIONS ${target}`, headers: preflight('PATCH'), status: 204 });
      const { methods } = ROUTES[kind];
      assert.deepEqual(list(got.headers.get('access-control-allow-methods')), methods);
      assert.equal(got.headers.get('allow'), methods.join(', '));
      assert.equal(got.headers.get('access-control-allow-origin'), APP);
      assert.equal(got.headers.get('access-control-max-age'), '60');
      const fields = list(got.headers.get('access-control-allow-headers')).map((name) => name.toLowerCase());
      for (const name of ['authorization', 'content-type', 'if-match', 'if-none-match', 'idempotency-key', 'prefer'])
        assert.ok(fields.includes(name), name);
    });
  }

  for (const target of [
    '/api/v1/notes//',
    '/api/v1/nothing',
    '/api/v9/notes',
    '/nothing',
    '/api/notes?api_version=9',
  ]) {
    it(`[OPS-3a] lets the page read the error or follow the redirect: ${target}`, async () => {
      const got = await of('NAMED').row({ send: `OPTIONS ${target}`, headers: preflight('POST'), status: 204 });
      assert.ok(list(got.headers.get('access-control-allow-methods')).includes('POST'));
      assert.equal(got.headers.get('access-control-allow-origin'), APP);
    });
  }

  it('[OPS-3a] from an origin that the model does not name is a plain OPTIONS', async () => {
    for (const [target, status] of [
      ['/api/v1/notes', 204],
      ['/api/v1/nothing', 404],
    ] as const) {
      const got = await of('NAMED').row({ send: `OPTIONS ${target}`, headers: preflight('PATCH', EVIL), status });
      assert.deepEqual(corsFields(got), {});
    }
  });

  it('[OPS-3a] of every origin is allowed where every origin may read', async () => {
    const got = await of('ANYONE').row({
      send: 'OPTIONS /api/v1/notes',
      headers: preflight('QUERY', EVIL),
      status: 204,
    });
    assert.equal(got.headers.get('access-control-allow-origin'), '*');
    assert.equal(got.headers.get('access-control-max-age'), '600');
  });

  it('[OPS-3a] is not one without Access-Control-Request-Method', async () => {
    const got = await of('NAMED').row({ send: 'OPTIONS /api/v1/notes', headers: { Origin: APP }, status: 204 });
    assert.deepEqual(corsFields(got), { 'access-control-allow-origin': APP });
  });
});

describe('a write from a page of another origin', () => {
  it('[OPS-3a, AUTH-11] where every origin may read is for named origins only, and the refusal can be read', async () => {
    const write = (origin: string, status: number, events: readonly string[]) =>
      of('ANYONE').row({
        send: 'POST /api/v1/notes',
        headers: { Origin: origin, 'Sec-Fetch-Site': 'cross-site' },
        body: { id: 'written' },
        status,
        events,
        expectHeaders: { 'Access-Control-Allow-Origin': '*' },
      });
    await write(EVIL, 403, []);
    await write(APP, 201, ['note.created']);
  });
});

describe('every way to the API', () => {
  for (const name of mounts) {
    it(`[OPS-3a] answers preflights and allows the origins of the model: ${name}`, async () => {
      await using api = await apiUnderTest(NAMED);
      const transport = await open(api.api, name);
      try {
        const send = async (text: string, headers: Record<string, string>) => {
          const response = await transport.send(rawRequest({ send: text, headers }));
          assert.ok(response !== null);
          const at = response.headers.findIndex((field) => field.toLowerCase() === 'access-control-allow-origin');
          return [response.status, response.headers[at + 1]];
        };
        assert.deepEqual(await send('OPTIONS /api/v1/notes', preflight('POST')), [204, APP]);
        assert.deepEqual(await send('GET /api/v1/notes', { Origin: APP }), [200, APP]);
        assert.deepEqual(await send('GET /api/v1/notes/none', { Origin: APP }), [404, APP]);
      } finally {
        await transport.close();
      }
    });
  }
});
