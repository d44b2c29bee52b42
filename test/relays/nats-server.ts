import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { freePort } from '../free-port.ts';
import { programFile } from '../installed-programs.ts';

/** A NATS server of a test, on loopback, with JetStream. */
export interface NatsServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Ends it without notice. */
  readonly kill: () => Promise<void>;
}

/** Options of a server. */
export interface NatsServerOptions {
  /** The folder of its streams: a server that is started again finds them. */
  readonly folder: string;
  /** Default: any free one. */
  readonly port?: number;
  /** A configuration file. */
  readonly configuration?: string;
  /** Default: that of the system. */
  readonly program?: string;
}

/** The installed servers: that of the system, and a newer one that `.ci/run` builds. It reports if that is missing. */
export function natsPrograms(): readonly { readonly version: string; readonly program: string }[] {
  const built = path.join(import.meta.dirname, '..', '..', '.cache', 'brokers', 'bin', 'nats-server');
  if (!existsSync(built)) process.stderr.write('NOT TESTED: the NATS of test/relays/nats/go.mod is not built\n');
  const programs = [programFile('nats-server') ?? 'nats-server', ...(existsSync(built) ? [built] : [])];
  return programs.map((program) => {
    const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
    return { program, version: stdout?.trim() ?? 'nats-server' };
  });
}

/** Starts NATS, and waits until it accepts connections. */
export async function startNats({ folder, port, configuration, program }: NatsServerOptions): Promise<NatsServer> {
  const at = port ?? (await freePort());
  const file = program ?? programFile('nats-server') ?? 'nats-server';
  const options = ['-a', '127.0.0.1', '-p', String(at), '-js', '-sd', folder];
  if (configuration !== undefined) options.push('-c', configuration);
  const child = spawn(file, options, { stdio: ['ignore', 'ignore', 'pipe'] });
  await untilReady(child);
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return { url: `nats://127.0.0.1:${at}`, port: at, pid: child.pid ?? 0, kill };
}

async function untilReady({ stderr }: ChildProcess): Promise<void> {
  if (stderr === null) throw new Error('nats-server has no output');
  const lines: string[] = [];
  for await (const line of createInterface({ input: stderr })) {
    lines.push(line);
    if (line.includes('Server is ready')) {
      stderr.resume();
      return;
    }
  }
  throw new Error(`nats-server did not start:\n${lines.join('\n')}`);
}
