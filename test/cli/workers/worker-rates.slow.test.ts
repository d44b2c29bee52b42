import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, afterEach, describe, it } from 'node:test';
import { killAll, type ServerProcess, startServer, waitUntilListening } from '../server-process.ts';
import { connectToWorkers, waitUntil } from './worker-connections.ts';

const REQUESTS = 400;
const MODEL = `
name: shop
limits: { rate: { requests: ${REQUESTS}, per: 1d } }
resources: { products: { schema: { type: object, properties: { name: { type: string } } } } }
`;

const folder = mkdtempSync(path.join(os.tmpdir(), 'worker-rates-'));
const model = path.join(folder, 'shop.yaml');
writeFileSync(model, MODEL);
after(() => rmSync(folder, { recursive: true }));

const started: ServerProcess[] = [];
afterEach(() => killAll(started.splice(0)));

describe('rate limits of restwright serve --workers', () => {
  it('[LIM-2d] are one quota within 10 %, also after a worker died, where connections are spread unevenly', async () => {
    const server = startServer(folder, [model, '--port', '0', '--database', 'sqlite:rates.db', '--workers', '3']);
    started.push(server);
    const url = await waitUntilListening(server);
    const workers = await connectToWorkers(server, url, 3);
    const [first, second, third] = workers;
    assert.ok(first !== undefined && second !== undefined && third !== undefined);
    const seen: number[] = [];
    const send = async (at: typeof first, count: number): Promise<void> => {
      for (let sent = 0; sent < count; sent += 1) seen.push((await at.send('GET', '/v1/products')).status);
    };
    // Finding a connection to each worker has taken some.
    const left = /r=(\d+)/.exec(String((await first.send('GET', '/v1/products')).headers['ratelimit']))?.[1];
    const admitted = (): number => REQUESTS - Number(left) + seen.filter((status) => status === 200).length;
    await Promise.all([send(first, 120), send(second, 15), send(third, 5)]);
    assert.deepEqual(new Set(seen), new Set([200]));
    process.kill(third.pid, 'SIGKILL');
    await Promise.all([send(first, REQUESTS), send(second, REQUESTS / 4)]);
    assert.ok(admitted() <= REQUESTS * 1.1 && admitted() >= REQUESTS * 0.9, String(admitted()));
    assert.deepEqual(new Set(seen), new Set([200, 429]));
    const refused = await first.send('GET', '/v1/products');
    assert.equal(refused.status, 429);
    assert.match(String(refused.headers['retry-after']), /^[1-9]\d*$/);
    assert.equal(refused.headers['ratelimit-policy'], `"default";q=${REQUESTS};w=86400`);
    await waitUntil(() => server.stderr().includes('worker_exited'), 'the supervisor reports the worker');
    for (const worker of workers) worker.close();
  });
});
