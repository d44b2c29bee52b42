import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { connect } from 'node:net';
import { freePort } from '../free-port.ts';

const PROGRAM = '/usr/lib/rabbitmq/bin/rabbitmq-server';
const START_TIMEOUT = 60_000;

/** A RabbitMQ of a test, on loopback. It keeps its data when it is killed and started again. */
export interface RabbitServer {
  readonly url: string;
  readonly port: number;
  /** Sends a signal to all of its processes. */
  readonly signal: (name: NodeJS.Signals) => void;
  readonly start: () => Promise<void>;
  /** Ends it without notice. */
  readonly kill: () => Promise<void>;
  /** Ends it, and the name server of Erlang, which outlives it. */
  readonly end: () => Promise<void>;
}

/** Starts RabbitMQ as a process of the test. @param folder for its data @param settings lines of `rabbitmq.conf` */
export async function startRabbit(folder: string, settings: readonly string[] = []): Promise<RabbitServer> {
  const [port, distribution, names] = [await freePort(), await freePort(), await freePort()];
  for (const name of ['home', 'mnesia', 'log']) mkdirSync(path.join(folder, name), { recursive: true });
  writeFileSync(path.join(folder, 'enabled_plugins'), '[].');
  writeFileSync(
    path.join(folder, 'rabbitmq.conf'),
    [`listeners.tcp.1 = 127.0.0.1:${port}`, ...settings, ''].join('\n'),
  );
  const env = {
    ...process.env,
    HOME: path.join(folder, 'home'),
    RABBITMQ_NODENAME: 'test@localhost',
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(distribution),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: String(names),
    RABBITMQ_MNESIA_BASE: path.join(folder, 'mnesia'),
    RABBITMQ_LOG_BASE: path.join(folder, 'log'),
    RABBITMQ_PID_FILE: path.join(folder, 'pid'),
    RABBITMQ_ENABLED_PLUGINS_FILE: path.join(folder, 'enabled_plugins'),
    RABBITMQ_CONFIG_FILE: path.join(folder, 'rabbitmq.conf'),
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
  };
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    // The program is a script that waits for the broker: both are one group of processes.
    child = spawn(PROGRAM, { env, stdio: 'ignore', detached: true });
    await accepting(port, child);
  };
  const signal = (name: NodeJS.Signals): void => {
    if (child?.pid !== undefined) process.kill(-child.pid, name);
  };
  const kill = async (): Promise<void> => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    signal('SIGKILL');
    await exited;
    while (await isListening(port)) await setTimeout(20);
  };
  await start();
  return {
    url: `amqp://guest:guest@127.0.0.1:${port}`,
    port,
    signal,
    start,
    kill,
    async end() {
      await kill();
      for (const pid of nameServers(names)) process.kill(pid, 'SIGKILL');
    },
  };
}

/** Finds the name server of Erlang that was started for this broker: by its port. */
function nameServers(port: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => isNameServer(pid, port))
    .map(Number);
}

function isNameServer(pid: string, port: number): boolean {
  try {
    const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return line.includes('epmd') && environment.includes(`ERL_EPMD_PORT=${port}`);
  } catch {
    // It has ended meanwhile.
    return false;
  }
}

async function accepting(port: number, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT;
  while (performance.now() < deadline && child.exitCode === null) {
    if (await isListening(port)) return;
    await setTimeout(100);
  }
  throw new Error('RabbitMQ did not start');
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
