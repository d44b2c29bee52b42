import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, it, type TestContext } from 'node:test';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { killAll, type ServerProcess, startServer, waitForLog, waitUntilListening } from '../server-process.ts';

const MODEL = `
name: shop
version: 1.0.0
resources:
  products:
    schema: { type: object, required: [name], properties: { name: { type: string } } }
`;

/** Node.js loads no native addon then, as on a platform for which there is none. */
const WITHOUT_ADDONS = { NODE_OPTIONS: '--no-addons' };

const started: ServerProcess[] = [];
afterEach(() => killAll(started.splice(0)));

async function start(context: TestContext, args: readonly string[]): Promise<ServerProcess> {
  const folder = temporaryDirectory(context);
  await writeFile(path.join(folder, 'shop.yaml'), MODEL);
  const server = startServer(folder, ['shop.yaml', '--port', '0', '--log', 'json', ...args], WITHOUT_ADDONS);
  started.push(server);
  return server;
}

describe('serve where better-sqlite3 cannot be loaded', () => {
  it('serves with node:sqlite, and says so in the log', async (context) => {
    const server = await start(context, []);
    const url = await waitUntilListening(server);
    const body = JSON.stringify({ name: 'tea' });
    const made = await fetch(`${url}/v1/products`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    assert.equal(made.status, 201);
    const found = await fetch(`${url}/v1/products?name[contains]=e`);
    assert.match(await found.text(), /"name":"tea"/);
    await waitForLog(server, /"event":"driver_unavailable","used":"node","reason":"[^"]*addon/);
  });

  it('has no such line with --driver node, and fails with --driver better-sqlite3', async (context) => {
    const chosen = await start(context, ['--driver', 'node']);
    await waitUntilListening(chosen);
    await waitForLog(chosen, /"event":"listening"/);
    assert.doesNotMatch(chosen.stderr(), /driver_unavailable/);
    const refused = await start(context, ['--driver', 'better-sqlite3']);
    assert.equal(await refused.exited, 1);
    assert.match(refused.stderr(), /The driver better-sqlite3 cannot be loaded: .* or choose the driver node\./);
  });
});
