import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { startReplicated } from '../../postgres-server.ts';
import { killAll, type ServerProcess, startServer, waitForLog, waitUntilListening } from '../server-process.ts';

const { primary, replicas } = await startReplicated([], [[], []]);
const folder = mkdtempSync(path.join(tmpdir(), 'replicas-'));
const started: ServerProcess[] = [];
after(async () => {
  await killAll(started);
  for (const server of [...replicas, primary]) await server.stop();
  rmSync(folder, { recursive: true });
});
writeFileSync(
  path.join(folder, 'shop.yaml'),
  'name: shop\nresources: { products: { schema: { type: object, properties: { name: { type: string } } } } }\n',
);

function serve(env: Readonly<Record<string, string>>, ...options: readonly string[]): ServerProcess {
  const server = startServer(folder, ['shop.yaml', '--port', '0', '--log', 'json', ...options], env);
  started.push(server);
  return server;
}

const urls = replicas.map((server) => server.url('shop'));
const [first = assert.fail(), second = assert.fail()] = urls;
const ways: readonly (readonly [string, Readonly<Record<string, string>>, readonly string[]])[] = [
  ['--replica, given twice', {}, ['--replica', first, '--replica', second]],
  ['RESTWRIGHT_REPLICAS', { RESTWRIGHT_REPLICAS: urls.join(' ') }, []],
];

describe('restwright serve with replicas', () => {
  for (const [what, env, options] of ways)
    it(`[OPS-5] [OPS-2b] reads pages from them, counts that, and logs that they are read: ${what}`, async () => {
      const server = serve(env, '--database', primary.url('shop'), ...options);
      const url = await waitUntilListening(server);
      await waitForLog(server, /replica_joined[^]*replica_joined/);
      const page = await fetch(`${url}/v1/products?limit=${options.length + 1}`);
      assert.match(await page.text(), /^\{"data":\[\]/);
      const metrics = await (await fetch(new URL('/metrics', url))).text();
      assert.match(metrics, /^restwright_store_reads_total\{place="replica"\} 1$/m);
      assert.equal(metrics.match(/^restwright_replica_up\{replica="[^"]+:5432"\} 1$/gm)?.length, 2);
      assert.equal(metrics.match(/^restwright_replica_lag_seconds\{replica="[^"]+:5432"\} 0$/gm)?.length, 2);
      await killAll([server]);
    });

  const refused: readonly (readonly [string, readonly string[], RegExp])[] = [
    [
      'of a file',
      ['--replica', first],
      /--replica: only a database of PostgreSQL has replicas; name it with --database/,
    ],
    [
      'whose URL cannot be used, without its password',
      ['--database', primary.url('shop'), '--replica', 'postgres://api:secret@replica/shop?sslmode=maybe'],
      /--replica: The URL of the database cannot be used: its sslmode is none of disable, prefer/,
    ],
  ];
  for (const [what, options, message] of refused)
    it(`refuses one ${what}`, async () => {
      const server = serve({}, ...options);
      assert.equal(await server.exited, 2);
      assert.match(server.stderr(), message);
      assert.doesNotMatch(server.stderr(), /secret/);
    });
});
