import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { after, afterEach, describe, it } from 'node:test';
import { killAll, type ServerProcess, startServer, waitForLog, waitUntilListening } from '../server-process.ts';
import { listeningWorkers } from '../workers/worker-connections.ts';

const MODEL = 'name: shop\nresources:\n  notes: { schema: { type: object, properties: { text: { type: string } } } }\n';

const folder = mkdtempSync(path.join(os.tmpdir(), 'metrics-'));
const model = path.join(folder, 'shop.yaml');
writeFileSync(model, MODEL);
after(() => rmSync(folder, { recursive: true }));

const started: ServerProcess[] = [];
afterEach(() => killAll(started.splice(0)));

let databases = 0;
function start(...args: readonly string[]): ServerProcess {
  databases += 1;
  const one = startServer(
    folder,
    [model, '--port', '0', '--database', `${databases}.db`, '--log', 'json', ...args],
    {},
  );
  started.push(one);
  return one;
}

async function scrape(url: string): Promise<string> {
  const response = await fetch(url);
  assert.equal(response.status, 200);
  return response.text();
}

/** The URL of the metrics, as the log has it. */
async function metricsUrl(server: ServerProcess): Promise<string> {
  await waitForLog(server, /"event":"metrics_listening"/);
  const [, url = ''] = /"event":"metrics_listening","url":"([^"]+)"/.exec(server.stderr()) ?? [];
  return url;
}

const READS =
  /^http_server_request_duration_seconds_count\{http_request_method="GET",http_route="\/api\/notes",.*\} (\d+)$/m;

async function readNotes(api: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const response = await fetch(`${api}/v1/notes`, { headers: { Connection: 'close' } });
    await response.text();
  }
}

for (const workers of [[], ['--workers', '2']]) {
  describe(`/metrics of serve ${workers.join(' ')}`, () => {
    it('[OPS-2b] has the requests of all processes, on the port of the API', async () => {
      const server = start(...workers);
      const api = await waitUntilListening(server);
      await readNotes(api, 20);
      for (let time = 0; time < 4; time += 1)
        assert.equal(READS.exec(await scrape(new URL('/metrics', api).href))?.[1], '20');
    });

    it('[AUTH-10b] is served on --metrics-port alone, where that is given', async () => {
      const server = start(...workers, '--metrics-port', '0');
      const api = await waitUntilListening(server);
      const url = await metricsUrl(server);
      await readNotes(api, 10);
      assert.equal(READS.exec(await scrape(url))?.[1], '10');
      assert.equal((await fetch(new URL('/metrics', api))).status, 404);
      server.child.kill('SIGTERM');
      assert.equal(await server.exited, 0);
    });

    it('[AUTH-10b] fails to start where the port for metrics is in use', async () => {
      const first = start('--metrics-port', '0');
      await waitUntilListening(first);
      const { port } = new URL(await metricsUrl(first));
      const second = start(...workers, '--metrics-port', port);
      assert.equal(await second.exited, 1);
      assert.match(second.stderr(), new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is in use`));
    });
  });
}

describe('a worker that is killed', () => {
  it('[OPS-2b] takes no counts with it that were scraped', async () => {
    const server = start('--workers', '2', '--metrics-port', '0');
    const api = await waitUntilListening(server);
    const url = await metricsUrl(server);
    await readNotes(api, 20);
    assert.equal(READS.exec(await scrape(url))?.[1], '20');
    const [first = 0] = await listeningWorkers(server, 2);
    process.kill(first, 'SIGKILL');
    await waitForLog(server, /"event":"worker_exited"/);
    const text = await scrape(url);
    assert.equal(READS.exec(text)?.[1], '20');
    assert.match(text, /^restwright_worker_exits_total 1$/m);
  });
});
