import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type http from 'node:http';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { root } from '../../scripts/command.ts';
import { listening, startOrigin, stop } from '../caches/cache-servers.ts';
import { programFile, skipWithout } from '../installed-programs.ts';
import { replaced } from '../replaced.ts';
import { freePort } from '../free-port.ts';

const MODEL = `
name: desk
public_url: https://api.example.com
trusted_proxies: [127.0.0.1]
require_tls: true
auth: { gateway: { secret: correct horse } }
resources:
  notes:
    access: { read: public, create: public, update: public }
    id: client
    schema: { type: object, properties: { text: { type: string } } }
`;

const PROXIES = ['nginx', 'haproxy'] as const;
type Proxy = (typeof PROXIES)[number];

interface Received {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

const children: ChildProcess[] = [];
const ports = new Map<Proxy, number>();
let folder = '';
let certificate = '';

const example = (file: string): string => readFileSync(path.join(root, 'examples', 'deploy', file), 'utf8');
const inFolder = (file: string): string => path.join(folder, file);

/** A certificate that the proxies present, and its key. */
function makeCertificate(): void {
  const subject = ['-subj', '/CN=api.example.com', '-addext', 'subjectAltName=DNS:api.example.com'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', inFolder('api.key')];
  const args = ['req', '-x509', '-days', '1', ...key, '-out', inFolder('api.crt'), ...subject];
  execFileSync(programFile('openssl') ?? 'openssl', args, { stdio: 'ignore' });
  certificate = readFileSync(inFolder('api.crt'), 'utf8');
  writeFileSync(inFolder('api.pem'), certificate + readFileSync(inFolder('api.key'), 'utf8'));
}

/** The arguments of a proxy whose configuration is the example. */
const START: Readonly<Record<Proxy, (origin: number, port: number) => readonly string[]>> = {
  nginx(origin, port) {
    const site = replaced(example('nginx.conf'), [
      ['server 127.0.0.1:3000;', `server 127.0.0.1:${origin};`],
      ['listen 443 ssl http2;', `listen 127.0.0.1:${port} ssl http2;`],
      ['/etc/ssl/api.example.com.crt', inFolder('api.crt')],
      ['/etc/ssl/api.example.com.key', inFolder('api.key')],
    ]);
    writeFileSync(inFolder('site.conf'), site);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path ${each};`);
    const around = `daemon off; pid nginx.pid; worker_processes 1; events {} http { access_log off; ${temporary.join(' ')} include site.conf; }`;
    writeFileSync(inFolder('nginx.conf'), around);
    return ['-p', folder, '-c', 'nginx.conf', '-e', 'error.log'];
  },
  haproxy(origin, port) {
    const text = replaced(example('haproxy.cfg'), [
      ['server one 127.0.0.1:3000', `server one 127.0.0.1:${origin}`],
      ['bind :443 ssl crt /etc/ssl/api.example.com.pem', `bind 127.0.0.1:${port} ssl crt ${inFolder('api.pem')}`],
    ]);
    writeFileSync(inFolder('haproxy.cfg'), text);
    return ['-f', inFolder('haproxy.cfg')];
  },
};

async function start(proxy: Proxy, origin: number): Promise<void> {
  const port = await freePort();
  const log: string[] = [];
  const child = spawn(programFile(proxy) ?? proxy, START[proxy](origin, port), {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => log.push(chunk.toString()));
  await listening(child, port, () => Promise.resolve(log.join('')));
  ports.set(proxy, port);
}

function open(proxy: Proxy, method: string, target: string, headers: http.OutgoingHttpHeaders): http.ClientRequest {
  return https.request({
    host: '127.0.0.1',
    port: ports.get(proxy),
    servername: 'api.example.com',
    ca: certificate,
    agent: false,
    method,
    path: target,
    headers: { Host: 'api.example.com', ...headers },
  });
}

async function send(
  proxy: Proxy,
  request: string,
  headers: http.OutgoingHttpHeaders = {},
  body?: string,
): Promise<Received> {
  const [method = '', target = ''] = request.split(' ');
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  const sent = open(proxy, method, target, { ...length, ...headers });
  sent.end(body);
  const [response]: http.IncomingMessage[] = await once(sent, 'response');
  assert.ok(response);
  return { status: response.statusCode ?? 0, headers: response.headers, body: await textOf(response) };
}

/** Reads a response until it has a line that begins so, and its data. */
function untilText(response: http.IncomingMessage, line: string): Promise<string> {
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

const JSON_BODY = { 'Content-Type': 'application/json' };

describe('a server behind the proxies of the guide', { skip: skipWithout(...PROXIES, 'openssl') }, () => {
  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'deploy-'));
    chmodSync(folder, 0o755);
    makeCertificate();
    const { port } = await startOrigin(folder, MODEL, children);
    for (const proxy of PROXIES) await start(proxy, port);
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
      assert.equal((await send(proxy, 'POST /api/v1/notes', JSON_BODY, body)).status, 201);
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
      const feed = open(proxy, 'GET', '/api/v1/events', { Accept: 'text/event-stream', ...caller });
      feed.end();
      const [response]: http.IncomingMessage[] = await once(feed, 'response');
      assert.ok(response);
      assert.equal(response.statusCode, 200);
      const text = untilText(response, 'event: note.created');
      const id = `${proxy}-event`;
      assert.equal((await send(proxy, 'POST /api/v1/notes', JSON_BODY, JSON.stringify({ id }))).status, 201);
      assert.ok((await text).includes(id));
      response.destroy();
    });

    it(`[LIM-1] refuses what is too large itself, behind ${proxy}`, async () => {
      const body = JSON.stringify({ id: 'large', text: 'x'.repeat(1_500_000) });
      const refused = await send(proxy, 'POST /api/v1/notes', JSON_BODY, body);
      assert.equal(refused.status, 413);
      assert.equal(JSON.parse(refused.body).errorCode, 'REQUEST_BODY_TOO_LARGE');
    });
  }
});
