import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { openLog } from '../../src/observe/log-file.ts';

const MODULE = JSON.stringify(new URL('../../src/observe/log-file.ts', import.meta.url).href);

describe('the log', () => {
  it('[OPS-2] has written everything once it is closed, in order', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'log-'));
    const file = path.join(folder, 'log');
    const log = openLog(openSync(file, 'a'));
    const lines = Array.from({ length: 20_000 }, (_, index) => `${index}\n`);
    for (const line of lines) log.write(line);
    await log.close();
    log.write('too late\n');
    log.flush();
    await log.close();
    assert.equal(await readFile(file, 'utf8'), lines.join(''));
    await rm(folder, { recursive: true });
  });

  it('[OPS-2] has written everything at an exit in haste after a flush', async () => {
    const { text } = await run(`log.write('a\\n'); log.write('b\\n'); log.flush(); process.exit(0)`);
    assert.equal(text, 'a\nb\n');
  });

  it('[OPS-2] is on its way while the program goes on', async () => {
    const { text } = await run(`log.write('a\\n'); setInterval(() => {}, 1000)`, { untilText: true });
    assert.equal(text, 'a\n');
  });

  it('[OPS-2] survives a destination that is gone', async () => {
    const script = `process.stdin.once('data', async () => {
      for (let n = 0; n < 1000; n += 1) log.write('x'.repeat(100) + '\\n');
      log.flush(); log.write('y'); await log.close();
      process.stdout.write('alive'); process.exit(0);
    })`;
    const { out, code } = await run(script, { closed: true });
    assert.deepEqual([out, code], ['alive', 0]);
  });
});

interface Run {
  readonly text: string;
  readonly out: string;
  readonly code: number | null;
}

/** Runs a script that has `log`, open on standard error. `closed`: nobody reads it. `untilText`: kills it after its first text. */
async function run(script: string, { closed = false, untilText = false } = {}): Promise<Run> {
  const code = `import { openLog } from ${MODULE}; const log = openLog(2); ${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code]);
  let text = '';
  let out = '';
  child.stderr.on('data', (packet) => {
    text += packet;
    if (untilText) child.kill();
  });
  child.stdout.on('data', (packet) => {
    out += packet;
  });
  if (closed) child.stderr.destroy();
  child.stdin.write('go');
  const [exitCode] = await once(child, 'close');
  return { text, out, code: exitCode };
}
