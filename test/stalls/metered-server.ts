import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const METER = pathToFileURL(path.join(import.meta.dirname, 'stall-meter.ts')).href;
const PROGRAM = path.join(import.meta.dirname, '..', '..', 'bin', 'restwright.js');

/** Milliseconds that the reference of the meter takes on a quiet machine. */
const REFERENCE = 140;

/** A server in a process of its own, whose event loop is measured. */
export interface MeteredServer extends AsyncDisposable {
  /** The URL of the API. */
  readonly url: string;
  /** The longest event-loop iteration since the last call, in milliseconds of the server's processor time. */
  longestIteration(): Promise<number>;
  /** The factor by which the server's processor is slower now than that of a quiet machine of 2026; at least 1. */
  slowdown(): Promise<number>;
}

/** Serves a model. @param model YAML */
export async function meteredServer(model: string): Promise<MeteredServer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'stalls-'));
  await writeFile(path.join(folder, 'model.yaml'), model);
  const child = spawn(process.execPath, ['--import', METER, PROGRAM, 'serve', 'model.yaml', '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  });
  const exited = once(child, 'close');
  const dispose = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
    await rm(folder, { recursive: true });
  };
  const { stdout } = child;
  if (stdout === null) throw new Error('the server has no standard output');
  const line = await Promise.race([once(createInterface({ input: stdout }), 'line'), exited.then(() => [''])]);
  const url = /^listening on (\S+)$/.exec(String(line[0]))?.[1];
  if (url === undefined) {
    await dispose();
    throw new Error('the server did not start');
  }
  return {
    url,
    longestIteration: () => ask(child, 'longest'),
    slowdown: async () => Math.max(1, (await ask(child, 'reference')) / REFERENCE),
    [Symbol.asyncDispose]: dispose,
  };
}

async function ask(child: ChildProcess, question: 'longest' | 'reference'): Promise<number> {
  const answered = once(child, 'message');
  child.send(question);
  const [milliseconds] = await answered;
  return Number(milliseconds);
}
