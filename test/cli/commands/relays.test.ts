import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { run } from '../../../src/cli/program.ts';
import { createFetchHandler } from '../../../src/http/fetch.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { startApi, type StartedApi } from '../../../src/start-api.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { recordedTerminal } from '../recorded-terminal.ts';

const RELAYS = "events: { relays: [{ name: shop, redis: 'redis://:s3cret@127.0.0.1:6379' }] }\n";
const NO_RELAYS = 'name: shop\nresources: { products: { schema: { type: object } } }\n';
const MODEL = NO_RELAYS + RELAYS;
/** With a resource of its own that has the name of the collection of relays of another model. */
const RENAMED = `${MODEL}system: { relays: brokers }\n`;
const OWN =
  'name: shop\nresources: { brokers: { schema: { type: object, properties: { note: { type: string } } } } }\n';

interface Written {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Scene {
  readonly database: string;
  readonly list: (...options: readonly string[]) => Promise<Written>;
}

function makeScene(context: TestContext, text = MODEL): Scene {
  const folder = temporaryDirectory(context);
  const [model, database] = [path.join(folder, 'shop.yaml'), path.join(folder, 'shop.db')];
  writeFileSync(model, text);
  return {
    database,
    async list(...options) {
      const terminal = recordedTerminal();
      const code = await run(['relays', model, '--database', database, ...options], terminal);
      return { code, ...terminal.written() };
    },
  };
}

/** Leaves the row of a relay in the database, as a server does. */
async function runRelay(database: string, text = MODEL): Promise<void> {
  const { model } = loadModel({ text });
  await using started = await startApi({ model, database, dispatch: false });
  await started.api.relays.rows?.write({
    name: 'shop',
    broker: 'redis',
    address: '127.0.0.1:6379',
    destination: 'shop:events',
    format: 'native',
    version: '1.0.0',
    types: ['*'],
    position: 41,
    lag: 2,
    state: 'failing',
    lastError: { text: 'connection refused', at: Date.parse('2026-01-02T03:04:05.678Z') },
    sentAt: null,
  });
}

describe('restwright relays', () => {
  it('[EVT-9e] lists state, position, lag and last error, without credentials', async (context) => {
    const { database, list } = makeScene(context);
    await runRelay(database);
    const { code, stdout, stderr } = await list();
    assert.equal(code, 0, stderr);
    assert.deepEqual(stdout.replaceAll(/ {2,}/g, '  ').trimEnd().split('\n'), [
      'name  broker  state  position  lag  last error',
      'shop  redis 127.0.0.1:6379  failing  41  2  connection refused (2026-01-02T03:04:05.678Z)',
    ]);
    const json: unknown = JSON.parse((await list('--json')).stdout);
    assert.ok(Array.isArray(json));
    assert.equal(json.length, 1);
    assert.deepEqual(
      [json[0].name, json[0].position, json[0].lag, json[0].last_error, json[0].types],
      ['shop', '00000000000000000041', 2, 'connection refused', ['*']],
    );
  });

  it('[EVT-9e] says that no relay has run, that there are none, and that the database is missing', async (context) => {
    const { database, list } = makeScene(context);
    const missing = await list();
    assert.deepEqual([missing.code, /does not exist/.test(missing.stderr)], [1, true]);
    const { model } = loadModel({ text: MODEL });
    await (await startApi({ model, database, dispatch: false })).close();
    assert.match((await list()).stdout, /No relay has run yet/);
    assert.deepEqual(JSON.parse((await list('--json')).stdout), []);
    const without = await makeScene(context, NO_RELAYS).list();
    assert.deepEqual([without.code, /has no relays/.test(without.stderr)], [1, true]);
  });
});

describe('a model that loses its last relay', () => {
  it('[EVT-9e] [OPS-4d] needs no consent for the rows of relays, which say nothing about the data', async (context) => {
    const { database } = makeScene(context);
    await runRelay(database);
    await (await startApi({ model: loadModel({ text: NO_RELAYS }).model, database, dispatch: false })).close();
  });

  it('[OPS-4d] needs consent for the rows of a resource of its own that has the name', async (context) => {
    const { database } = makeScene(context);
    const open = (text: string): Promise<StartedApi> =>
      startApi({ model: loadModel({ text }).model, database, dispatch: false });
    await runRelay(database, RENAMED);
    await (await open(NO_RELAYS)).close();
    const started = await open(OWN);
    const headers = { 'Content-Type': 'application/json' };
    const request = new Request('http://localhost/api/v1/brokers', {
      method: 'POST',
      headers,
      body: '{"note":"mine"}',
    });
    assert.equal((await createFetchHandler(started.api)(request)).status, 201);
    await started.close();
    await assert.rejects(open(NO_RELAYS), /brokers is dropped with 1 row/);
  });
});
