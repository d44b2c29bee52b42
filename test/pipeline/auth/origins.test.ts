import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, type ExchangeRow, rawRequest } from '../support/api-under-test.ts';
import { mounts, open } from '../support/transports.ts';

const HOST = 'localhost:3000';
const MODEL = `
name: desk
cors: { origins: ['*', 'https://app.example.com/', 'https://OTHER.example.com:443', 'capacitor://localhost', 'null'] }
resources:
  notes: { id: client, schema: { type: object, properties: { text: { type: string } } } }
`;

type Headers = Readonly<Record<string, string>>;

/**
 * Header fields that browsers send with a POST, and whether they show a page of another site that the model does not
 * name.
 */
const POSTS: readonly (readonly [title: string, headers: Headers, status: 201 | 403])[] = [
  ['no browser', {}, 201],
  ['the origin of the API', { 'Sec-Fetch-Site': 'same-origin', Origin: `http://${HOST}` }, 201],
  ['the user', { 'Sec-Fetch-Site': 'none' }, 201],
  ['the origin of the API behind another name', { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://x.example' }, 201],
  ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }, 403],
  ['another site without an origin', { 'Sec-Fetch-Site': 'cross-site' }, 403],
  ['another origin of the site', { 'Sec-Fetch-Site': 'same-site', Origin: 'http://localhost:5173' }, 403],
  ['another site with the own origin', { 'Sec-Fetch-Site': 'cross-site', Origin: `http://${HOST}` }, 403],
  ['an unknown value', { 'Sec-Fetch-Site': 'SAME-ORIGIN' }, 403],
  ['an old browser on the origin of the API', { Origin: `http://${HOST}` }, 201],
  ['an old browser on the origin of the API, in capitals', { Origin: 'http://LOCALHOST:3000' }, 201],
  [
    'an old browser on the origin of the API, whose name it sends in capitals',
    { Host: 'LOCALHOST:3000', Origin: `http://${HOST}` },
    201,
  ],
  ['an empty site, and the origin of the API', { 'Sec-Fetch-Site': '', Origin: `http://${HOST}` }, 201],
  ['an old browser on another scheme of the host', { Origin: `https://${HOST}` }, 201],
  ['an old browser on another port', { Origin: 'http://localhost:3001' }, 403],
  ['an old browser on another site', { Origin: 'https://evil.example' }, 403],
  ['an old browser in a sandboxed frame', { Origin: 'null' }, 403],
  ['an empty site, and another origin', { 'Sec-Fetch-Site': '', Origin: 'https://evil.example' }, 403],
  ['an origin that is no origin', { Origin: HOST }, 403],
  ['an allowed origin', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://app.example.com' }, 201],
  ['an allowed origin without its default port', { Origin: 'https://other.example.com' }, 201],
  ['an allowed app', { 'Sec-Fetch-Site': 'cross-site', Origin: 'capacitor://localhost' }, 201],
  ['another port of an allowed origin', { Origin: 'https://app.example.com:444' }, 403],
  ['another scheme of an allowed origin', { Origin: 'http://app.example.com' }, 403],
];

let desk: ApiUnderTest;
before(async () => {
  desk = await apiUnderTest(MODEL);
});
after(() => desk.close());

describe('a write from a page', () => {
  for (const [index, [title, headers, status]] of POSTS.entries()) {
    it(`[AUTH-11] ${status === 201 ? 'is accepted' : 'is rejected'}: ${title}`, async () => {
      const got = await desk.row({
        send: 'POST /api/v1/notes',
        headers,
        body: { id: `n${index}` },
        status,
        events: status === 201 ? ['note.created'] : [],
      });
      if (status === 403) assert.equal(got.body.errorCode, 'AUTH_ORIGIN_FORBIDDEN');
    });
  }

  const EVIL = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' };
  const FORM = { ...EVIL, 'Content-Type': 'application/x-www-form-urlencoded' };
  const REJECTED: readonly Pick<ExchangeRow, 'send' | 'headers' | 'body'>[] = [
    { send: 'POST /api/v1/notes', headers: FORM, body: 'id=form' },
    { send: 'POST /api/v1/notes', headers: { ...EVIL, 'Content-Type': 'text/plain' }, body: '{"id":"plain"}' },
    { send: 'POST /api/v1/notes?dry_run=true', headers: EVIL, body: { id: 'dry' } },
    { send: 'PUT /api/v1/notes/n0', headers: EVIL, body: { text: 'x' } },
    { send: 'PATCH /api/v1/notes/n0', headers: EVIL, body: { text: 'x' } },
    { send: 'DELETE /api/v1/notes/n0', headers: EVIL },
    {
      send: 'POST /api/v1/batches',
      headers: EVIL,
      body: { atomic: false, operations: [{ method: 'DELETE', path: '/notes/n0' }] },
    },
  ];
  for (const { send, headers, body } of REJECTED) {
    it(`[AUTH-11] is rejected with every method and body: ${send} ${headers?.['Content-Type'] ?? ''}`, async () => {
      const has = { errorCode: 'AUTH_ORIGIN_FORBIDDEN' };
      await desk.row({ send, headers: headers ?? {}, body, status: 403, has });
    });
  }

  for (const [send, status] of [
    ['GET /api/v1/notes', 200],
    ['HEAD /api/v1/notes', 200],
    ['OPTIONS /api/v1/notes', 204],
    ['QUERY /api/v1/notes', 200],
    ['GET /livez', 200],
  ] as const) {
    it(`[AUTH-11] may read: ${send}`, async () => {
      const query = send.startsWith('QUERY');
      const headers = { ...EVIL, ...(query ? { 'Content-Type': FORM['Content-Type'] } : {}) };
      await desk.row({ send, headers, ...(query ? { body: 'limit=1' } : {}), status });
    });
  }

  it('[AUTH-11] is judged after the route and the method, and before the format and the body', async () => {
    const rows: readonly (readonly [send: string, status: number, headers?: Headers])[] = [
      ['POST /api/v1/nothing', 404],
      ['DELETE /api/v1/notes', 405],
      ['POST /api/v1/notes', 403, { Accept: 'text/html' }],
      ['POST /api/v1/notes?unknown=1', 403],
    ];
    for (const [send, status, headers = {}] of rows)
      await desk.row({ send, headers: { ...EVIL, ...headers }, body: '{', status });
  });

  it('[AUTH-11, MET-13] is judged once for a batch, not for each operation', async () => {
    const operations = [{ method: 'POST', path: '/notes', headers: EVIL, body: { id: 'batched' } }];
    const got = await desk.row({
      send: 'POST /api/v1/batches',
      headers: { 'Sec-Fetch-Site': 'same-origin' },
      body: { atomic: false, operations },
      status: 201,
      events: ['note.created'],
    });
    assert.equal(got.body.results[0].status, 201);
  });
});

describe('every way to the API', () => {
  for (const name of mounts) {
    it(`[AUTH-11] rejects writes from pages of other sites: ${name}`, async () => {
      await using api = await apiUnderTest(MODEL);
      const transport = await open(api.api, name);
      try {
        const row = { send: 'POST /api/v1/notes', headers: { Origin: 'https://evil.example' }, body: { id: 'evil' } };
        const response = await transport.send(rawRequest(row));
        assert.equal(response?.status, 403);
        assert.deepEqual(await api.newEvents(), []);
      } finally {
        await transport.close();
      }
    });
  }

  it('[AUTH-11] keeps pages of other sites from using responses, errors and redirects included', async () => {
    await using closed = await apiUnderTest(MODEL.replace(/^cors:.*$/m, ''));
    for (const [send, status] of [
      ['GET /api/v1/notes', 200],
      ['GET /api/v1/notes/none', 404],
      ['GET /api/v1/notes/', 308],
      ['GET /livez', 200],
      ['OPTIONS /api/v1/notes', 204],
    ] as const)
      await closed.row({ send, status, expectHeaders: { 'Cross-Origin-Resource-Policy': 'same-origin' } });
  });
});
