import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type HttpServer, serveHttp } from '../../src/http/serve-http.ts';
import { type ApiUnderTest, apiUnderTest } from '../pipeline/support/api-under-test.ts';
import { type RawResponse, sendRaw } from './raw-client.ts';

const APP = 'https://app.example.com';
const HEAD = `Host: localhost\r\nOrigin: ${APP}\r\n`;
const MODEL = `
name: desk
cors: { origins: ['${APP}'] }
limits: { body: 1KiB, target: 1KiB, headers: 2KiB, headers_timeout: 100ms, request_timeout: 100ms }
resources:
  notes: { id: client, schema: { type: object, properties: { text: { type: string } } } }
`;

/**
 * Bytes that a client sends, and the status of the error: errors that the server finds before the API, and while a body
 * arrives.
 */
const ERRORS: readonly (readonly [title: string, bytes: string, status: number])[] = [
  ['a field that is not valid', `GET /api HTTP/1.1\r\n${HEAD}Bad : 1\r\n\r\n`, 400],
  ['a request without a host', `GET /api HTTP/1.1\r\nOrigin: ${APP}\r\n\r\n`, 400],
  ['an unknown method', `BREW /api HTTP/1.1\r\n${HEAD}\r\n`, 501],
  ['a long target', `GET /api/${'x'.repeat(2_000)} HTTP/1.1\r\n${HEAD}\r\n`, 414],
  ['many fields', `GET /api HTTP/1.1\r\n${HEAD}X: ${'x'.repeat(3_000)}\r\n\r\n`, 431],
  ['an expectation', `GET /api HTTP/1.1\r\n${HEAD}Expect: magic\r\n\r\n`, 417],
  [
    'a long body',
    `PUT /api/v1/notes/a HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: 2000\r\n\r\n`,
    413,
  ],
  [
    'a long body in chunks',
    `PUT /api/v1/notes/a HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n${' '.repeat(2_000)}\r\n0\r\n\r\n`,
    413,
  ],
  [
    'a body that does not arrive',
    `PUT /api/v1/notes/a HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{`,
    408,
  ],
];

let desk: ApiUnderTest;
let server: HttpServer;
let overloaded = false;
before(async () => {
  desk = await apiUnderTest(MODEL);
  server = await serveHttp({ api: desk.api, port: 0, overloaded: () => overloaded });
});
after(async () => {
  await server.close();
  await desk.close();
});

function assertReadable(response: RawResponse | undefined, status: number): void {
  assert.equal(response?.status, status);
  assert.equal(response.headers['access-control-allow-origin'], APP);
  assert.match(response.headers['access-control-expose-headers'] ?? '', /\bX-Correlation-ID\b/);
  assert.match(response.headers['vary'] ?? '', /\bOrigin\b/);
}

describe('an error that the server finds before the API', () => {
  for (const [title, bytes, status] of ERRORS) {
    it(`[OPS-3a] can be read by a page of an allowed origin: ${title}`, async () => {
      const [response] = await sendRaw(server.port, [bytes]);
      assertReadable(response, status);
    });
  }

  it('[OPS-3a, LIM-3] can be read by a page of an allowed origin: overload, also of a preflight', async () => {
    overloaded = true;
    for (const line of ['GET', 'OPTIONS']) {
      const [response] = await sendRaw(server.port, [
        `${line} /api HTTP/1.1\r\n${HEAD}Access-Control-Request-Method: GET\r\n\r\n`,
      ]);
      assertReadable(response, 503);
    }
    overloaded = false;
  });
});
