import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { program } from '../server-process.ts';

const ROWS = 60_000;
const MODEL = `
name: killed
version: 1.0.0
resources:
  things:
    schema: { type: object, required: [n], properties: { n: { type: integer } } }
`;

let folder = '';
before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'import-killed-'));
  await writeFile(path.join(folder, 'model.yaml'), MODEL);
  const lines = Array.from({ length: ROWS }, (_, index) => `{"n":${index}}\n`);
  await writeFile(path.join(folder, 'things.ndjson'), lines.join(''));
});
after(() => rm(folder, { recursive: true }));

/** Runs the import and kills it after some milliseconds. @returns its exit code; null when it was killed */
async function runFor(milliseconds: number): Promise<number | null> {
  const args = [program, 'import', 'model.yaml', 'things', 'things.ndjson', '--database', 'sqlite:killed.db'];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: 'ignore' });
  const exited = once(child, 'exit');
  const abort = new AbortController();
  const kill = wait(milliseconds, undefined, { signal: abort.signal }).then(
    () => child.kill('SIGKILL'),
    () => false,
  );
  const [code] = (await exited) as [number | null];
  abort.abort();
  await kill;
  return code;
}

describe('an import', () => {
  it('that is killed at random times and run again stores each row and each event once', async (test) => {
    let kills = 0;
    let code: number | null = null;
    for (let run = 0; code === null; run += 1) {
      // Long enough to start, short enough to be killed in the middle; each run gets more time, so that the last one
      // completes.
      code = await runFor(250 + Math.random() * 400 + run * 20);
      if (code === null) kills += 1;
    }
    test.diagnostic(`killed ${kills} times`);
    assert.equal(code, 0);
    assert.ok(kills >= 3, `it was killed only ${kills} times`);

    const database = new Database(path.join(folder, 'killed.db'), { readonly: true });
    const numbers = database.prepare('select n from things order by n').pluck().all();
    database.close();
    assert.deepEqual(
      numbers,
      Array.from({ length: ROWS }, (_, index) => index),
    );
  });
});
