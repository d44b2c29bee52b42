import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startOrigin, stop } from '../caches/cache-servers.ts';
import { skipWithout } from '../installed-programs.ts';
import { openRequest, type ProxyAddress, type ReceivedFromProxy, sendToProxy } from './proxy-client.ts';
import { makeCertificate, PROXIED, PROXIES, type Proxy, startProxy } from './proxy-servers.ts';

const MODEL = `${PROXIED}resources:
  notes:
    access: { read: public, create: public, update: public }
    id: client
    schema: { type: object, properties: { text: { type: string } } }
`;

const children: ChildProcess[] = [];
const ports = new Map<Proxy, number>();
let folder = '';
let certificate = '';

function findAddress(proxy: Proxy): ProxyAddress {
  return { port: ports.get(proxy) ?? assert.fail(proxy), certificate };
}

function send(proxy: Proxy, request: string, headers?: OutgoingHttpHeaders, body?: string): Promise<ReceivedFromProxy> {
  return sendToProxy(findAddress(proxy), request, { headers, body });
}

/** Reads a response until it has a line that begins so, and its data. */
function untilText(response: IncomingMessage, line: string): Promise<string> {
  let received = '';
  return new Promise((resolve, reject) => {
    response.on('data', (chunk: Buffer) => {
      received += chunk.toString();
      const at = received.indexOf(line);
      if (at >= 0 && received.includes('\n\n', at)) resolve(received);
    });
    response.on('close', () => reject(new Error(`the feed ended: ${received}`)));
  });
}

describe('a server behind the proxies of the guide', { skip: skipWithout(...PROXIES, 'openssl') }, () => {
  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'deploy-'));
    chmodSync(folder, 0o755);
    certificate = makeCertificate(folder);
    const { port } = await startOrigin(folder, MODEL, children);
    for (const proxy of PROXIES) {
      const started = await startProxy(proxy, folder, [port]);
      children.push(started.child);
      ports.set(proxy, started.port);
    }
  });
  after(async () => {
    await Promise.all(children.map((child) => stop(child, 'SIGTERM')));
    rmSync(folder, { recursive: true });
  });

  for (const proxy of PROXIES) {
    it(`[AUTH-10a] knows that requests through ${proxy} came over TLS, whatever clients claim`, async () => {
      assert.equal((await send(proxy, 'GET /api/v1/notes')).status, 200);
      const claims = { 'X-Forwarded-Proto': 'http', Forwarded: 'proto=http', 'X-Forwarded-For': '192.0.2.1' };
      assert.equal((await send(proxy, 'GET /api/v1/notes', claims)).status, 200);
    });

    it(`[CACHE-1] keeps strong ETags through ${proxy}, with and without compression`, async () => {
      const body = JSON.stringify({ id: proxy, text: 'word '.repeat(1_000) });
      assert.equal((await send(proxy, 'POST /api/v1/notes', {}, body)).status, 201);
      const zipped = await send(proxy, `GET /api/v1/notes/${proxy}`, { 'Accept-Encoding': 'gzip' });
      assert.equal(zipped.headers['content-encoding'], 'gzip');
      const plain = await send(proxy, `GET /api/v1/notes/${proxy}`);
      assert.match(plain.headers.etag ?? '', /^"/);
      const merge = { 'Content-Type': 'application/merge-patch+json', 'If-Match': plain.headers.etag };
      assert.equal((await send(proxy, `PATCH /api/v1/notes/${proxy}`, merge, '{"text":"new"}')).status, 200);
      assert.equal((await send(proxy, `PATCH /api/v1/notes/${proxy}`, merge, '{"text":"late"}')).status, 412);
    });

    it(`[MET-9] takes QUERY through ${proxy}`, async () => {
      const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const { status, body } = await send(proxy, 'QUERY /api/v1/notes', form, `id=${proxy}`);
      assert.equal(status, 200);
      assert.equal(JSON.parse(body).data.length, 1);
    });

    it(`[EVT-8b] sends events through ${proxy} as they come`, async () => {
      const caller = { 'X-Auth-Secret': 'correct horse', 'X-Auth-Subject': 'ann', 'X-Auth-Scopes': 'events:read' };
      const headers = { Accept: 'text/event-stream', ...caller };
      const response = await openRequest(findAddress(proxy), 'GET /api/v1/events', { headers });
      assert.equal(response.statusCode, 200);
      const text = untilText(response, 'event: note.created');
      const id = `${proxy}-event`;
      assert.equal((await send(proxy, 'POST /api/v1/notes', {}, JSON.stringify({ id }))).status, 201);
      assert.ok((await text).includes(id));
      response.destroy();
    });

    it(`[LIM-1] refuses what is too large itself, behind ${proxy}`, async () => {
      const body = JSON.stringify({ id: 'large', text: 'x'.repeat(1_500_000) });
      const refused = await send(proxy, 'POST /api/v1/notes', {}, body);
      assert.equal(refused.status, 413);
      assert.equal(JSON.parse(refused.body).errorCode, 'REQUEST_BODY_TOO_LARGE');
    });
  }
});
