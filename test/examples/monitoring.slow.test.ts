import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../free-port.ts';
import { killAll, type ServerProcess, startServer, waitUntilListening } from '../cli/server-process.ts';
import { programFile, skipWithout } from '../installed-programs.ts';
import { dashboardQueries, MONITORING } from './dashboard.ts';

const MODEL = `
import { defineModel } from 'restwright';

export default defineModel({
  name: 'desk',
  resources: {
    notes: {
      schema: { type: 'object', properties: { text: { type: 'string' } } },
      after: { created: () => undefined },
    },
  },
});
`;
/** Milliseconds in which Prometheus has to know what the server says. */
const PATIENCE = 40_000;

const folder = mkdtempSync(path.join(os.tmpdir(), 'monitoring-'));
let server: ServerProcess;
let prometheus: ChildProcess;
let origin = '';

/** Starts Prometheus with the example, which scrapes each second. */
async function startPrometheus(target: string): Promise<void> {
  const port = await freePort();
  const config = readFileSync(path.join(MONITORING, 'prometheus.yml'), 'utf8')
    .replace('127.0.0.1:9464', target)
    .replaceAll(/: 15s$/gm, ': 1s');
  writeFileSync(path.join(folder, 'prometheus.yml'), config);
  copyFileSync(path.join(MONITORING, 'alerts.yml'), path.join(folder, 'alerts.yml'));
  origin = `http://127.0.0.1:${port}`;
  const args = ['--config.file=prometheus.yml', `--storage.tsdb.path=${path.join(folder, 'data')}`];
  prometheus = spawn(programFile('prometheus') ?? 'prometheus', [...args, `--web.listen-address=127.0.0.1:${port}`], {
    cwd: folder,
    stdio: 'ignore',
  });
  await once(prometheus, 'spawn');
}

/** The number of results of a query to Prometheus; null if it does not answer yet. */
async function results(query: string): Promise<number | null> {
  try {
    const response = await fetch(`${origin}/api/v1/query?query=${encodeURIComponent(query)}`);
    const { status, data } = (await response.json()) as { status: string; data?: { result: readonly unknown[] } };
    assert.equal(status, 'success', query);
    return data?.result.length ?? 0;
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

describe('Prometheus with the examples', { skip: skipWithout('prometheus', 'promtool') }, () => {
  before(async () => {
    const model = path.join(folder, 'desk.ts');
    writeFileSync(model, MODEL);
    const metrics = await freePort();
    const args = ['--port', '0', '--workers', '2', '--metrics-port', String(metrics), '--log', 'json'];
    server = startServer(folder, [model, ...args]);
    const api = await waitUntilListening(server);
    await startPrometheus(`127.0.0.1:${metrics}`);
    for (let time = 0; time < 50; time += 1) {
      const headers = { 'Content-Type': 'application/json' };
      await fetch(`${api}/v1/notes`, { method: 'POST', headers, body: '{"text":"a"}' });
      await fetch(`${api}/v1/notes`);
      await fetch(`${api}/v1/notes/none`);
      await setTimeout(100);
    }
  });
  after(async () => {
    prometheus.kill('SIGKILL');
    await killAll([server]);
    rmSync(folder, { recursive: true, force: true });
  });

  it('[OPS-2b] finds data for each query of the dashboard', async () => {
    let empty = dashboardQueries('10s');
    assert.ok(empty.length > 40);
    for (let waited = 0; empty.length > 0 && waited < PATIENCE; waited += 1_000) {
      const found = await Promise.all(empty.map(({ query }) => results(query)));
      empty = empty.filter((_query, index) => (found[index] ?? 0) === 0);
      if (empty.length > 0) await setTimeout(1_000);
    }
    assert.deepEqual(empty, []);
  });

  it('[OPS-2b] evaluates the alerts, of which none fires', async () => {
    const { status, stdout, stderr } = spawnSync(
      programFile('promtool') ?? 'promtool',
      ['check', 'config', 'prometheus.yml'],
      { cwd: folder },
    );
    assert.equal(status, 0, `${stdout.toString()}${stderr.toString()}`);
    const response = await fetch(`${origin}/api/v1/rules`);
    const { data } = (await response.json()) as {
      data: { groups: readonly { rules: readonly { name: string; health: string; state: string }[] }[] };
    };
    const rules = data.groups.flatMap((group) => group.rules);
    assert.equal(rules.length, 10);
    assert.deepEqual(
      rules.filter(({ health, state }) => health !== 'ok' || state === 'firing'),
      [],
    );
  });
});
