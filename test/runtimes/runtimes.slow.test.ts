import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { afterEach, describe, it, type TestContext } from 'node:test';
import { programFile, skipWithout } from '../installed-programs.ts';
import { killAll, program, type ServerProcess, startProcess, waitUntilListening } from '../cli/server-process.ts';
import { DRIVER_NAMES } from '../../src/stores/sqlite/driver/driver.ts';
import { RunningProcess } from '../package/sandbox.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

const root = path.join(import.meta.dirname, '..', '..');

/**
 * Files of the HTTP suite: some for each convention, without the walks of random requests, which take minutes in all.
 */
const FILES = (
  'batches/batches batches/dry-run batches/import batches/ndjson bodies/compression bodies/formats-in ' +
  'bodies/formats-out bodies/minimal bodies/patches caching/cache-control caching/preconditions ' +
  'collections/collections collections/pages/cursors collections/expand collections/fields collections/filters ' +
  'collections/search collections/pages/totals events/events requests/methods writes/references/constraints writes/delete ' +
  'writes/hooks/hooks writes/idempotency/idempotency writes/reads writes/states writes/writes'
)
  .split(' ')
  .map((name) => `./test/pipeline/${name}.test.ts`);

/** The suite of the client. */
const CLIENT_FILES = ['client', 'cut-connections', 'retries'].map((name) => `./test/client/${name}.test.ts`);

/** The arguments with which a runtime runs a program, and tests. */
const RUNTIMES = {
  bun: { run: [], test: ['test', '--timeout', '60000'] },
  deno: { run: ['run', '--allow-all'], test: ['test', '--allow-all', '--no-check'] },
} as const;

const MODEL = `
name: shop
version: 1.0.0
resources:
  products:
    schema: { type: object, required: [name], properties: { name: { type: string } } }
`;

const started: ServerProcess[] = [];
afterEach(() => killAll(started.splice(0)));

function start(context: TestContext, runtime: keyof typeof RUNTIMES, args: readonly string[]): ServerProcess {
  const file = programFile(runtime) ?? assert.fail(runtime);
  const folder = temporaryDirectory(context);
  writeFileSync(path.join(folder, 'shop.yaml'), MODEL);
  const server = startProcess(folder, [file, ...RUNTIMES[runtime].run, ...args]);
  started.push(server);
  return server;
}

/** Writes a row and reads it in a list, with a filter that no index serves. */
async function writeAndRead(url: string): Promise<void> {
  const written = await fetch(`${url}/v1/products`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'tea' }),
  });
  assert.equal(written.status, 201);
  const tag = written.headers.get('etag') ?? '';
  const at = `${url}${written.headers.get('location')?.replace('/api', '')}`;
  assert.equal((await fetch(at, { headers: { 'if-none-match': tag } })).status, 304);
  const list = await fetch(`${url}/v1/products?name[contains]=e`);
  assert.match(await list.text(), /"name":"tea"/);
}

for (const runtime of ['bun', 'deno'] as const) {
  describe(`in ${runtime}`, { skip: skipWithout(runtime) }, () => {
    it('rows of the HTTP suite pass, over the server', async (context) => {
      const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
      const report = path.join(temporaryDirectory(context), 'counts');
      const child = spawn(programFile(runtime) ?? '', [...RUNTIMES[runtime].test, ...FILES], {
        cwd: root,
        env: { ...env, NO_COLOR: '1', RESTWRIGHT_TRANSPORT: 'serve', RESTWRIGHT_TRANSPORT_REPORT: report },
      });
      const chunks: Buffer[] = [];
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      const [code] = (await once(child, 'close')) as [number];
      const output = Buffer.concat(chunks).toString();
      assert.equal(code, 0, output);
      assert.ok((output.match(/^\(pass\)| ok \(/gm) ?? []).length > 500, output.slice(-400));
      assert.ok(existsSync(report), 'no request was counted');
      const lines = readFileSync(report, 'utf8').trim().split('\n');
      const counts = lines.map((line): { readonly carried: number; readonly spared: number } => JSON.parse(line));
      const carried = counts.reduce((sum, count) => sum + count.carried, 0);
      const spared = counts.reduce((sum, count) => sum + count.spared, 0);
      assert.ok(carried > 500 && carried > 9 * spared, `${carried} of ${carried + spared} requests`);
    });

    it('the suite of the client passes', async () => {
      const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
      const args = [...RUNTIMES[runtime].test, ...CLIENT_FILES];
      const options = { cwd: root, env: { ...env, NO_COLOR: '1' } };
      const { code, stdout, stderr } = await new RunningProcess(spawn(programFile(runtime) ?? '', args, options)).ended;
      assert.equal(code, 0, stdout + stderr);
      assert.ok((`${stdout}${stderr}`.match(/^\(pass\)| ok \(/gm) ?? []).length > 25, stdout + stderr);
    });

    for (const driver of DRIVER_NAMES) {
      it(`serve works with the driver ${driver}, until a signal stops it`, async (context) => {
        const server = start(context, runtime, [program, 'serve', 'shop.yaml', '--port', '0', '--driver', driver]);
        await writeAndRead(await waitUntilListening(server));
        server.child.kill('SIGTERM');
        assert.equal(await server.exited, 0);
        assert.match(server.stderr(), /"event":"stopped","unfinished":0/);
      });
    }

    it('the server of the runtime serves the fetch handler', async (context) => {
      const host = path.join(import.meta.dirname, 'fetch-host.ts');
      await writeAndRead(await waitUntilListening(start(context, runtime, [host, 'shop.yaml'])));
    });
  });
}
