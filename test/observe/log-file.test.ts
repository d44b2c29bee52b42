import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { pbkdf2 } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type LogWriter, openLog } from '../../src/observe/log-file.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

const NEW_LINE = 0x0a;
const MODULE = JSON.stringify(new URL('../../src/observe/log-file.ts', import.meta.url).href);

describe('the log', () => {
  it('[OPS-2d] has written all lines in order when close resolves', async (context) => {
    const file = path.join(temporaryDirectory(context), 'log');
    const log = openLog(openSync(file, 'a'));
    const lines = Array.from({ length: 20_000 }, (_, index) => `${index}\n`);
    for (const line of lines) log.write(line);
    await log.close();
    log.write('too late\n');
    log.flushSync();
    await log.close();
    assert.equal(await readFile(file, 'utf8'), lines.join(''));
  });

  it('[OPS-2d] does not overwrite queued lines when it reuses buffers', async (context) => {
    await withPipe(context, async (log, reader) => {
      const rounds = ['one ü', 'two €', 'three 😀'].map((text) => `${text} ${'x'.repeat(500)}\n`.repeat(1_000));
      const seen: string[] = [];
      for (const lines of rounds) {
        for (const line of lines.split(/(?<=\n)/)) log.write(line);
        seen.push(await readLines(reader, 1_000));
      }
      assert.deepEqual(seen, rounds);
    });
  });

  it('[OPS-2d] accepts a line that is longer than a buffer', async (context) => {
    await withPipe(context, async (log, reader) => {
      const lines = ['before\n', `${'ü'.repeat(100_000)}\n`, 'after\n'];
      for (const line of lines) log.write(line);
      assert.equal(await readLines(reader, 3), lines.join(''));
    });
  });

  it('[OPS-2d] keeps up with event-loop iterations that fill several buffers each', async (context) => {
    const file = path.join(temporaryDirectory(context), 'log');
    const log = openLog(openSync(file, 'a'));
    const turns = Array.from({ length: 120 }, (_, turn) => `${turn} ${'x'.repeat(250)}\n`);
    for (const line of turns) {
      for (let again = 0; again < 1_000; again += 1) log.write(line);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3);
      await setImmediate();
    }
    await log.close();
    assert.equal((await readFile(file)).length, turns.join('').length * 1_000);
  });

  it('[OPS-2d] queues up to 16 MiB for a reader that has stopped, and drops whole lines beyond', async (context) => {
    await withPipe(context, async (log, reader) => {
      const lines = Array.from({ length: 20_000 }, (_, index) => `${index} ${'x'.repeat(1_000)}\n`);
      for (const line of lines) log.write(line);
      const kept = (await readLines(reader, 16_000)).split('\n').slice(0, -1);
      assert.deepEqual(
        kept,
        lines.slice(0, kept.length).map((line) => line.slice(0, -1)),
      );
      assert.ok(kept.length < 17_000, `${kept.length} lines were kept`);
    });
  });

  it('[OPS-2d] gives up a full pipe in flushSync', async (context) => {
    await withPipe(context, async (log, reader) => {
      for (let line = 0; line < 300; line += 1) log.write(`${'x'.repeat(1_000)}\n`);
      log.flushSync();
      log.write('too late\n');
      await log.close();
      assert.doesNotMatch(readNow(reader).toString(), /too late/);
      assert.equal(readNow(reader).length, 0);
    });
  });

  it('[OPS-2d] has written all lines when the process exits after flushSync', async () => {
    const { text } = await run(`log.write('a\\n'); log.write('b\\n'); log.flushSync(); process.exit(0)`);
    assert.equal(text, 'a\nb\n');
  });

  it('[OPS-2d] has written all lines when flushSync returns, whatever other threads do', async (context) => {
    const file = path.join(temporaryDirectory(context), 'log');
    const log = openLog(openSync(file, 'a'));
    const work = Array.from({ length: 8 }, () => promisify(pbkdf2)('', '', 100_000, 64, 'sha512'));
    log.write('a\n');
    log.flushSync();
    assert.equal(readFileSync(file, 'utf8'), 'a\n');
    await Promise.all([...work, log.close()]);
  });

  it('[OPS-2d] is written while the program runs', async () => {
    const { text } = await run(`log.write('a\\n'); setInterval(() => {}, 1000)`, { untilText: true });
    assert.equal(text, 'a\n');
  });

  it('[OPS-2d] releases queued buffers when its destination is gone', async () => {
    const script = `
    const { setFlagsFromString } = await import('node:v8');
    setFlagsFromString('--expose-gc');
    const gc = (await import('node:vm')).runInNewContext('gc');
    process.stdin.once('data', () => {
      for (let n = 0; n < 400; n += 1) log.write('x'.repeat(60_000) + '\\n');
      const look = (times) => {
        gc();
        const held = process.memoryUsage().arrayBuffers;
        if (held > 1_000_000 && times > 0) return setTimeout(look, 20, times - 1);
        log.write('y');
        process.stdout.write(held > 1_000_000 ? String(held) : 'little');
        process.exit(0);
      };
      look(100);
    })`;
    assert.deepEqual((await run(script, { closed: true })).out, 'little');
  });

  it('[OPS-2d] does not end the process when its destination is gone', async () => {
    const script = `process.stdin.once('data', async () => {
      for (let n = 0; n < 1000; n += 1) log.write('x'.repeat(100) + '\\n');
      log.flushSync(); log.write('y'); await log.close();
      process.stdout.write('alive'); process.exit(0);
    })`;
    const { out, code } = await run(script, { closed: true });
    assert.deepEqual([out, code], ['alive', 0]);
  });
});

/** Runs with a log to a non-blocking pipe and with its read end. */
async function withPipe(context: TestContext, use: (log: LogWriter, reader: number) => Promise<void>): Promise<void> {
  const pipe = path.join(temporaryDirectory(context), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const log = openLog(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK));
  await use(log, reader);
  await log.close();
  closeSync(reader);
}

/** At least the given number of lines, up to a line end. */
async function readLines(reader: number, atLeast: number): Promise<string> {
  const packets: Buffer[] = [];
  let lines = 0;
  while (lines < atLeast || packets.at(-1)?.at(-1) !== NEW_LINE) {
    const packet = readNow(reader);
    packets.push(packet);
    lines += packet.reduce((count, byte) => count + (byte === NEW_LINE ? 1 : 0), 0);
    if (packet.length === 0) await setImmediate();
  }
  return Buffer.concat(packets).toString();
}

/** The available bytes, up to the capacity of a pipe. */
function readNow(reader: number): Buffer {
  const bytes = Buffer.alloc(65_536);
  try {
    return bytes.subarray(0, readSync(reader, bytes));
  } catch {
    return bytes.subarray(0, 0);
  }
}

interface Run {
  readonly text: string;
  readonly out: string;
  readonly code: number | null;
}

/**
 * Runs a script with a `log` on standard error. `closed`: its reader is closed. `untilText`: it is killed after its
 * first output.
 */
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
