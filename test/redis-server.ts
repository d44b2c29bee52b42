import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { programFile } from './installed-programs.ts';
import { freePort } from './free-port.ts';

/** A Redis of a test, on loopback, which stores nothing on disk. */
export interface RedisServer {
  readonly url: string;
  readonly pid: number;
  /** Ends it without notice. */
  readonly kill: () => Promise<void>;
}

/** Starts Redis, and waits until it accepts connections. @param port default: any free one */
export async function startRedis(port?: number, settings: readonly string[] = []): Promise<RedisServer> {
  const at = port ?? (await freePort());
  const file = programFile('redis-server') ?? 'redis-server';
  const options = ['--port', String(at), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...settings];
  const child = spawn(file, options, { stdio: ['ignore', 'pipe', 'inherit'] });
  await accepting(child);
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return { url: `redis://127.0.0.1:${at}`, pid: child.pid ?? 0, kill };
}

async function accepting({ stdout }: ChildProcess): Promise<void> {
  if (stdout === null) throw new Error('redis-server has no output');
  const lines: string[] = [];
  for await (const line of createInterface({ input: stdout })) {
    lines.push(line);
    if (line.includes('Ready to accept connections')) {
      stdout.resume();
      return;
    }
  }
  throw new Error(`redis-server did not start:\n${lines.join('\n')}`);
}
