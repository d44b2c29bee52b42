import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { listening, startOrigin, stop } from '../caches/cache-servers.ts';
import { programFile, skipWithout } from '../installed-programs.ts';
import { freePort } from '../free-port.ts';

const MODEL = `
name: desk
trusted_proxies: [127.0.0.1]
require_tls: true
auth: { gateway: { secret: correct horse } }
resources: { notes: { access: { read: public }, id: client, schema: { type: object, properties: { text: { type: string } } } } }
`;

/** Header fields about TLS on each port of the proxy: those of the guide, and none. */
const SITES = {
  tls: 'proxy_set_header X-Forwarded-Proto https; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
  plain: 'proxy_set_header X-Forwarded-Proto $scheme; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
  silent: '',
  gateway:
    'proxy_set_header X-Forwarded-Proto https; proxy_set_header X-Auth-Secret "correct horse"; proxy_set_header X-Auth-Subject $arg_user; proxy_set_header X-Auth-Client ""; proxy_set_header X-Auth-Scopes notes:write;',
};
type Site = keyof typeof SITES;

const children: ChildProcess[] = [];
const ports = new Map<Site | 'server', number>();
let folder = '';

/** The status of a read. */
function requestStatus(
  site: Site | 'server',
  headers: http.OutgoingHttpHeaders = {},
  target = '/api/v1/notes',
): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { port: ports.get(site), host: '127.0.0.1', path: target, headers, agent: false };
    const request = http.get(options, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', reject);
  });
}

describe('a server behind nginx', { skip: skipWithout('nginx') }, () => {
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'proxies-'));
    await chmod(folder, 0o755);
    const { port: server } = await startOrigin(folder, MODEL, children);
    ports.set('server', server);
    const sites: string[] = [];
    for (const [site, fields] of Object.entries(SITES)) {
      const port = await freePort();
      ports.set(site as Site, port);
      sites.push(
        `server { listen 127.0.0.1:${port}; location / { ${fields} proxy_pass http://127.0.0.1:${server}; } }`,
      );
    }
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path ${each};`);
    const around = `daemon off; pid nginx.pid; worker_processes 1; events {} http { access_log off; ${temporary.join(' ')} ${sites.join(' ')} }`;
    await writeFile(path.join(folder, 'nginx.conf'), around);
    const program = programFile('nginx') ?? 'nginx';
    const child = spawn(program, ['-p', folder, '-c', 'nginx.conf', '-e', 'error.log'], {
      cwd: folder,
      stdio: 'ignore',
    });
    children.push(child);
    const log = (): Promise<string> => readFile(path.join(folder, 'error.log'), 'utf8');
    for (const site of Object.keys(SITES)) await listening(child, ports.get(site as Site) ?? 0, log);
  });
  after(async () => {
    await Promise.all(children.map((child) => stop(child, 'SIGTERM')));
    await rm(folder, { recursive: true });
  });

  it('[AUTH-10a] is told by nginx whether a request came over TLS', async () => {
    assert.equal(await requestStatus('tls'), 200);
    assert.equal(await requestStatus('plain'), 403);
    assert.equal(await requestStatus('silent'), 403);
    assert.equal(await requestStatus('silent', {}, '/livez'), 200);
  });

  it('[AUTH-6a] gets the caller from nginx, and from nobody else', async () => {
    const ann = { 'X-Auth-Secret': 'x', 'X-Auth-Subject': 'ann', 'X-Auth-Scopes': 'notes:write' };
    const batches = '/api/v1/batches/0198c0de-7a1b-7c3d-8e4f-5a6b7c8d9e0f';
    assert.equal(await requestStatus('tls', ann, batches), 401);
    assert.equal(await requestStatus('tls', { ...ann, 'X-Auth-Secret': '' }, batches), 401);
    assert.equal(await requestStatus('gateway', ann, batches), 401);
    assert.equal(await requestStatus('gateway', {}, `${batches}?user=ann`), 400);
  });

  it('[AUTH-6b] believes nothing that a client says through nginx', async () => {
    assert.equal(await requestStatus('plain', { 'X-Forwarded-Proto': 'https' }), 403);
    // nginx passes `Forwarded` on as it came.
    assert.equal(await requestStatus('plain', { Forwarded: 'for=192.0.2.1;proto=https' }), 403);
    assert.equal(await requestStatus('plain', { Forwarded: 'proto=https' }), 403);
    assert.equal(await requestStatus('tls', { 'X-Forwarded-Proto': 'http', 'X-Forwarded-For': '"' }), 200);
  });
});
