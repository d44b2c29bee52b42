import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { RawRequest } from '../../../src/exchange/handler.ts';
import { createFetchHandler } from '../../../src/http/fetch.ts';
import { rawRequest as nodeRequest } from '../../../src/http/raw-request.ts';
import { type ApiUnderTest, apiUnderTest, rawRequest, type Seen, seen } from '../support/api-under-test.ts';

const MODEL = `
name: desk
trusted_proxies: [10.0.0.0/8]
require_tls: true
cors: { origins: [https://app.example.com] }
resources: { notes: { id: client, schema: { type: object, properties: { text: { type: string } } } } }
`;
const TLS = { 'X-Forwarded-Proto': 'https' };
const PREFLIGHT = { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'POST' };

let desk: ApiUnderTest;
before(async () => {
  desk = await apiUnderTest(MODEL);
});
after(() => desk.close());

type Sent = Readonly<Partial<RawRequest>> & {
  readonly fields?: Readonly<Record<string, string>>;
  readonly json?: unknown;
};

async function send(line: string, { fields = {}, json, ...rest }: Sent): Promise<Seen> {
  return seen(await desk.api.handle({ ...rawRequest({ send: line, headers: fields, body: json }), ...rest }));
}

describe('require_tls', () => {
  const rows: readonly (readonly [title: string, line: string, sent: Sent, status: number])[] = [
    ['a plain request', 'GET /api/v1/notes', { peer: '10.0.0.1' }, 403],
    ['the report of a trusted proxy', 'GET /api/v1/notes', { peer: '10.0.0.1', fields: TLS }, 200],
    [
      'the report of a trusted proxy in Forwarded',
      'GET /api/v1/notes',
      { peer: '10.0.0.1', fields: { Forwarded: 'proto=https' } },
      200,
    ],
    ['the report of another peer', 'GET /api/v1/notes', { peer: '192.0.2.1', fields: TLS }, 403],
    [
      'the report of a proxy that http was used',
      'GET /api/v1/notes',
      { peer: '10.0.0.1', fields: { 'X-Forwarded-Proto': 'http' } },
      403,
    ],
    ['a connection of a host application with TLS', 'GET /api/v1/notes', { peer: '192.0.2.1', scheme: 'https' }, 200],
    [
      'http to a proxy that speaks TLS to the server',
      'GET /api/v1/notes',
      { peer: '10.0.0.1', scheme: 'https', fields: { 'X-Forwarded-For': '192.0.2.1' } },
      403,
    ],
    ['a request that would be redirected', 'GET /api/v1/notes/', { peer: '10.0.0.1' }, 403],
    ['a request with a version that is unknown', 'GET /api/v9/notes', { peer: '10.0.0.1' }, 403],
    ['no route', 'GET /nowhere', { peer: '10.0.0.1' }, 403],
    ['a preflight', 'OPTIONS /api/v1/notes', { peer: '10.0.0.1', fields: PREFLIGHT }, 403],
    ['a malformed request, which comes first', 'GET /api/v1/%', { peer: '10.0.0.1' }, 400],
    ['/livez', 'GET /livez', { peer: '192.0.2.1' }, 200],
    ['/readyz', 'GET /readyz?', { peer: '192.0.2.1' }, 200],
    ['what only begins like a health check', 'GET /livez/x', { peer: '192.0.2.1' }, 403],
  ];
  for (const [title, line, sent, status] of rows) {
    it(`[AUTH-10a] ${status === 403 ? 'refuses' : 'admits'} ${title}`, async () => {
      const got = await send(line, sent);
      assert.equal(got.status, status, got.text);
      if (status === 403) assert.equal(got.body.errorCode, 'AUTH_TLS_REQUIRED');
    });
  }

  it('[AUTH-10a] refuses a write, and writes nothing', async () => {
    const write = { json: { id: 'a' } };
    assert.equal((await send('POST /api/v1/notes', { peer: '192.0.2.1', ...write })).status, 403);
    assert.deepEqual(await desk.newEvents(), []);
    assert.equal((await send('POST /api/v1/notes', { peer: '10.0.0.1', fields: TLS, ...write })).status, 201);
  });

  it('[AUTH-10a] judges a batch as a whole', async () => {
    const json = { operations: [{ method: 'DELETE', path: '/notes/a', headers: { 'X-Forwarded-Proto': 'http' } }] };
    await desk.newEvents();
    assert.equal((await send('POST /api/v1/batches', { peer: '10.0.0.1', fields: TLS, json })).status, 201);
  });

  it('[AUTH-10a] admits https requests of fetch handlers and of servers with TLS', async () => {
    const handle = createFetchHandler(desk.api);
    assert.equal((await handle(new Request('https://api.example.com/api/v1/notes'))).status, 200);
    assert.equal((await handle(new Request('http://api.example.com/api/v1/notes'))).status, 403);
    const plain = new http.IncomingMessage({} as never);
    assert.equal(nodeRequest(plain, null).scheme, 'http');
    const encrypted = new http.IncomingMessage({ encrypted: true } as never);
    assert.equal(nodeRequest(encrypted, null).scheme, 'https');
  });
});

describe('the host that a trusted proxy reports', () => {
  const from = (peer: string, host: string): Sent => ({
    peer,
    fields: { ...TLS, Origin: 'https://api.example.com', 'X-Forwarded-Host': host },
    json: { id: `${peer}-${host}` },
  });

  it('[AUTH-6b] is the one that the origin of a page is compared with', async () => {
    assert.equal((await send('POST /api/v1/notes', from('10.0.0.1', 'api.example.com'))).status, 201);
    const other = await send('POST /api/v1/notes', from('10.0.0.1', 'other.example.com'));
    assert.equal(other.body.errorCode, 'AUTH_ORIGIN_FORBIDDEN');
    const untrusted = await send('POST /api/v1/notes', { ...from('192.0.2.1', 'api.example.com'), scheme: 'https' });
    assert.equal(untrusted.body.errorCode, 'AUTH_ORIGIN_FORBIDDEN');
  });

  it('[AUTH-6b] is no part of any link, and does not replace Host', async () => {
    const fields = { ...TLS, 'X-Forwarded-Host': 'evil.example' };
    const page = await send('GET /api/v1/notes', { peer: '10.0.0.1', fields });
    assert.ok(page.status === 200 && !page.text.includes('evil.example'));
    const redirect = await send('GET /api/v1/notes/', { peer: '10.0.0.1', fields });
    assert.equal(redirect.headers.get('location'), '/api/v1/notes');
    const host = { ...TLS, Host: 'evil.example', 'X-Forwarded-Host': 'localhost' };
    assert.equal((await send('GET /api/v1/notes', { peer: '10.0.0.1', fields: host })).status, 400);
  });
});
