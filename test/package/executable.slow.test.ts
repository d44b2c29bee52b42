import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { root } from './sandbox.ts';

const MEBIBYTE = 2 ** 20;

const MODEL = `
import { defineModel, resource } from 'restwright';

const schema = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+b$' } } } as const;
export default defineModel({ name: 'notes', resources: { notes: resource({ schema, computed: { size: { schema: { type: 'integer' }, from: ['text'], value: ({ text }) => text?.length ?? 0 } } }) } });
`;

/** A page of a collection. */
interface Page<T> {
  readonly data: readonly T[];
}

describe('the single executable', () => {
  let folder = '';
  let program = '';
  before(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'restwright-single-'));
    program = path.join(folder, 'bin', 'restwright');
    execFileSync(process.execPath, ['scripts/executable.ts', program], { cwd: root, stdio: ['ignore', 'pipe', 2] });
    mkdirSync(path.join(folder, 'work'));
    writeFileSync(path.join(folder, 'work', 'notes.ts'), MODEL);
    writeFileSync(path.join(folder, 'work', 'cities.csv'), 'name,people\nUlm,128928\n');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** An environment without Node.js: only the executable is found. */
  const environment = (cache: string): NodeJS.ProcessEnv => ({ HOME: folder, XDG_CACHE_HOME: cache, PATH: '/bin' });

  /** Starts a server, and stops it after `use`. */
  async function serve(args: readonly string[], cache: string, use: (url: string) => Promise<void>): Promise<void> {
    const server = spawn(program, ['serve', ...args, '--port', '0'], {
      cwd: path.join(folder, 'work'),
      env: environment(cache),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let log = '';
    server.stderr.on('data', (data: Buffer) => {
      log += data.toString();
    });
    try {
      for await (const line of createInterface(server.stdout)) {
        const [url] = /http:\S+/.exec(line) ?? [];
        if (url === undefined) continue;
        await use(url);
        break;
      }
    } finally {
      const closed = once(server, 'close');
      server.kill('SIGTERM');
      assert.deepEqual(await closed, [0, null], log);
    }
    assert.doesNotMatch(log, /driver_unavailable|"level":"error"/);
  }

  it('is one file, which prints its version without Node.js', () => {
    assert.deepEqual(readdirSync(path.dirname(program)), ['restwright']);
    assert.ok(statSync(program).size < 160 * MEBIBYTE);
    const cache = path.join(folder, 'cache');
    const { version } = JSON.parse(execFileSync('cat', [path.join(root, 'package.json')], { encoding: 'utf8' }));
    for (let run = 0; run < 2; run += 1) {
      const printed = execFileSync(program, ['--version'], { encoding: 'utf8', env: environment(cache) });
      assert.equal(printed, `${version}\n`);
    }
    assert.equal(readdirSync(path.join(cache, 'restwright')).length, 1, 'unpacked once');
  });

  it('serves a TypeScript model on a database, with its documentation and slow reads in a thread', async () => {
    await serve(['notes.ts', '--database', 'notes.db'], path.join(folder, 'cache'), async (url) => {
      const lines = Array.from({ length: 2001 }, () => '{"text":"aab"}').join('\n');
      const headers = { 'Content-Type': 'application/x-ndjson' };
      const upload = await fetch(`${url}/v1/notes`, { method: 'POST', headers, body: lines });
      assert.equal(upload.status, 200, await upload.text());
      const read = await fetch(`${url}/v1/notes?sort=-text&limit=1`);
      const { data }: Page<{ text: string; size: number }> = JSON.parse(await read.text());
      assert.deepEqual([data[0]?.text, data[0]?.size], ['aab', 3]);
      assert.match(await (await fetch(new URL('/docs', url))).text(), /<!doctype html>/);
    });
    assert.ok(existsSync(path.join(folder, 'work', 'notes.db')));
  });

  it('serves a CSV file with workers, and without a place for its cache', async () => {
    const args = ['cities.csv', '--database', 'cities.db', '--workers', '2'];
    await serve(args, '/dev/null/none', async (url) => {
      const read = await fetch(`${url}/v1/cities`);
      const { data }: Page<{ name: string; people: number }> = JSON.parse(await read.text());
      assert.deepEqual([data[0]?.name, data[0]?.people], ['Ulm', 128_928]);
    });
  });
});
