import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import process from 'node:process';
import { after, describe, it, type TestContext } from 'node:test';
import { stop } from '../caches/cache-servers.ts';
import { killAll, type ServerProcess, startServer, waitUntilListening } from '../cli/server-process.ts';
import { freePort } from '../free-port.ts';
import { skipWithout } from '../installed-programs.ts';
import { startPostgres } from '../postgres-server.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { sendToProxy, type ProxyAddress } from './proxy-client.ts';
import { makeCertificate, PROXIED, PROXIES, type Proxy, startProxy } from './proxy-servers.ts';

const MODEL = `${PROXIED}limits: { rate: false }
resources:
  notes:
    access: { read: public, create: public, update: public }
    id: client
    schema: { type: object, properties: { text: { type: string } } }
  entries:
    access: { read: public, create: public }
    schema: { type: object, properties: { text: { type: string } } }
`;

const CLIENTS = 8;

/** A folder with the certificate of the proxies, which they may read after they drop their privileges. */
function openFolder(context: TestContext): { readonly folder: string; readonly certificate: string } {
  const folder = temporaryDirectory(context);
  chmodSync(folder, 0o755);
  return { folder, certificate: makeCertificate(folder) };
}

/** Reads why nginx did not get a response; empty for HAProxy. */
function readProxyLog(folder: string): string {
  const file = path.join(folder, 'error.log');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** The requests of all clients. */
interface Load {
  readonly failures: string[];
  /** Successful requests by method. */
  readonly made: Record<'GET' | 'POST' | 'PUT', number>;
  /** Ends it after the responses under way. */
  readonly end: () => Promise<void>;
}

/** Sends requests until the end: each client reads, creates and replaces, one after another. */
function startLoad(proxy: ProxyAddress): Load {
  const failures: string[] = [];
  const made = { GET: 0, POST: 0, PUT: 0 };
  const ending = new AbortController();
  const request = async (method: keyof typeof made, target: string, body?: string): Promise<void> => {
    const response = await sendToProxy(proxy, `${method} ${target}`, body === undefined ? {} : { body }).catch(String);
    if (typeof response === 'string') failures.push(`${method}: ${response}`);
    else if (response.status >= 300) failures.push(`${method}: ${response.status} ${response.body}`);
    else made[method] += 1;
  };
  const run = async (client: number): Promise<void> => {
    for (let round = 0; !ending.signal.aborted; round += 1) {
      const body = JSON.stringify({ text: `${client}-${round}` });
      await request('POST', '/api/v1/entries', body);
      await request('PUT', `/api/v1/notes/${client}`, body);
      await request('GET', `/api/v1/notes/${client}`);
    }
  };
  const running = Promise.all(Array.from({ length: CLIENTS }, (_, client) => run(client)));
  return {
    failures,
    made,
    async end() {
      ending.abort();
      await running;
    },
  };
}

/** A server that closes the connection of each request once it has read it, except for checks if it is ready. */
async function startBroken(context: TestContext): Promise<{ readonly port: number; readonly requests: string[] }> {
  const requests: string[] = [];
  const server = http.createServer((request, response) => {
    if (request.url === '/readyz') {
      response.end();
      return;
    }
    request.resume().on('end', () => {
      requests.push(`${request.method}`);
      request.socket.destroy();
    });
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  context.after(() => server.close().closeAllConnections());
  return { port, requests };
}

const programs = skipWithout(...PROXIES, 'openssl');
const postgres = programs === false ? await startPostgres() : null;
after(() => postgres?.stop());

describe('two instances behind the proxies of the guide', { skip: programs, timeout: 240_000 }, () => {
  const started: ServerProcess[] = [];
  after(() => killAll(started));

  const startInstance = async (folder: string, port: number, schema: string): Promise<ServerProcess> => {
    const database = postgres?.url(schema) ?? '';
    const args = ['model.yaml', '--port', String(port), '--database', database, '--drain', '5s'];
    const server = startServer(folder, args);
    started.push(server);
    await waitUntilListening(server);
    return server;
  };

  const open = async (
    context: TestContext,
    proxy: Proxy,
    origins: readonly number[],
  ): Promise<ProxyAddress & { readonly folder: string }> => {
    const { folder, certificate } = openFolder(context);
    const { child, port } = await startProxy(proxy, folder, origins);
    context.after(() => stop(child, 'SIGTERM'));
    return { port, certificate, folder };
  };

  for (const proxy of PROXIES) {
    it(`[LIM-3] are replaced one after another under load without a failed request, behind ${proxy}`, async (context) => {
      const folder = temporaryDirectory(context);
      writeFileSync(path.join(folder, 'model.yaml'), MODEL);
      const ports = [await freePort(), await freePort()];
      const schema = `instances_${proxy}_${process.pid}`;
      let instances: readonly ServerProcess[] = [];
      for (const port of ports) instances = [...instances, await startInstance(folder, port, schema)];
      const agent = new https.Agent({ keepAlive: true, maxSockets: CLIENTS });
      context.after(() => agent.destroy());
      const address = { ...(await open(context, proxy, ports)), agent };
      const load = startLoad(address);
      for (const [index, port] of ports.entries()) {
        const before = { ...load.made };
        instances[index]?.child.kill('SIGTERM');
        assert.equal(await instances[index]?.exited, 0);
        await startInstance(folder, port, schema);
        assert.ok(load.made.POST > before.POST, 'requests were made meanwhile');
      }
      await load.end();
      assert.deepEqual(load.failures, [], readProxyLog(address.folder));
      const counted = await sendToProxy(address, 'GET /api/v1/entries?page=1&limit=1');
      const { page }: { readonly page: { readonly total_count: number } } = JSON.parse(counted.body);
      assert.equal(page.total_count, load.made.POST);
      const all = started.slice(-4);
      for (const { child } of all) child.kill('SIGTERM');
      await Promise.all(all.map(({ exited }) => exited));
      const logged = all.flatMap((each) => each.stderr().split('\n'));
      for (const method of ['POST', 'PUT'] as const)
        assert.equal(logged.filter((line) => line.includes(`"method":"${method}"`)).length, load.made[method], method);
    });

    it(`[ERR-1] get no write twice from ${proxy}, whose client gets an error body`, async (context) => {
      for (const [method, attempts, code] of [
        ['GET', proxy === 'nginx' ? 2 : 1, 'SERVER_UNAVAILABLE'],
        ['DELETE', 1, 'SERVER_OUTCOME_UNKNOWN'],
        ['POST', 1, 'SERVER_OUTCOME_UNKNOWN'],
        ['PUT', 1, 'SERVER_OUTCOME_UNKNOWN'],
        ['PATCH', 1, 'SERVER_OUTCOME_UNKNOWN'],
      ] as const) {
        const [one, two] = [await startBroken(context), await startBroken(context)];
        const address = await open(context, proxy, [one.port, two.port]);
        const sent = method === 'GET' || method === 'DELETE' ? {} : { body: '{}' };
        const response = await sendToProxy(address, `${method} /api/v1/notes/1`, sent);
        assert.equal(response.status, 503);
        const { errorCode }: { readonly errorCode: string } = JSON.parse(response.body);
        assert.equal(errorCode, code);
        assert.deepEqual([...one.requests, ...two.requests], Array(attempts).fill(method));
      }
    });

    it(`[ERR-6] are down: ${proxy} responds with the six members, and as a problem`, async (context) => {
      const address = await open(context, proxy, [await freePort(), await freePort()]);
      const { status, headers, body } = await sendToProxy(address, 'GET /api/v1/notes');
      assert.equal(status, 503);
      assert.equal(headers['content-type'], 'application/json');
      assert.equal(headers['cache-control'], 'no-store');
      const members: Readonly<Record<string, unknown>> = JSON.parse(body);
      const names = ['httpStatus', 'errorCode', 'errorMessage', 'correlationId', 'timestamp', 'details'];
      assert.deepEqual(Object.keys(members), names);
      assert.match(String(members['correlationId']), /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      assert.equal(headers['x-correlation-id'], members['correlationId']);
      assert.match(String(members['timestamp']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
      const problem = await sendToProxy(address, 'PUT /api/v1/notes/1', {
        headers: { Accept: 'application/problem+json' },
        body: '{}',
      });
      assert.equal(problem.headers['content-type'], 'application/problem+json');
      const further = ['type', 'title', 'status', 'detail', 'instance'];
      assert.deepEqual(Object.keys(JSON.parse(problem.body)), [...names, ...further]);
    });
  }
});
