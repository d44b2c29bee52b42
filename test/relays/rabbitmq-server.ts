import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../free-port.ts';
import { programFile } from '../installed-programs.ts';

/** The programs of Debian's package. The one in /usr/sbin starts itself again as another user. */
const PROGRAMS = '/usr/lib/rabbitmq/bin';

/** A RabbitMQ of a test, on loopback. */
export interface RabbitServer {
  readonly port: number;
  readonly url: string;
  /** Starts it again after {@link kill}, with the queues that it had. */
  readonly start: () => Promise<void>;
  /** Ends it without notice. */
  readonly kill: () => Promise<void>;
  /** Reads the id of its process: of Erlang, not of the script that starts it. */
  readonly pid: () => number;
  /** Runs `rabbitmqctl`. @returns its output */
  readonly control: (...args: readonly string[]) => Promise<string>;
  /** Ends it, and its port mapper. */
  readonly end: () => Promise<void>;
}

/** Starts RabbitMQ, and waits until it accepts connections. @param folder the folder of its files */
export async function startRabbit(folder: string): Promise<RabbitServer> {
  const [port, distribution, mapperPort] = [await freePort(), await freePort(), await freePort()];
  const environment = prepareFolder(folder, { port, distribution, mapperPort });
  // RabbitMQ would start one that outlives it.
  const mapper = spawn(programFile('epmd') ?? 'epmd', ['-address', '127.0.0.1', '-port', String(mapperPort)], {
    stdio: 'ignore',
  });
  await untilOpen(mapperPort, mapper);
  let server: ChildProcess | null = null;
  const readPid = (): number => Number(readFileSync(path.join(folder, 'pid'), 'utf8'));
  const start = async (): Promise<void> => {
    server = spawn(path.join(PROGRAMS, 'rabbitmq-server'), { env: environment, stdio: 'ignore' });
    await untilOpen(port, server);
  };
  const kill = async (): Promise<void> => {
    if (server === null || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    process.kill(readPid(), 'SIGKILL');
    await exited;
  };
  await start();
  return {
    port,
    url: `amqp://guest:guest@127.0.0.1:${port}`,
    start,
    kill,
    pid: readPid,
    async control(...args) {
      const { stdout } = await promisify(execFile)(path.join(PROGRAMS, 'rabbitmqctl'), ['--quiet', ...args], {
        env: environment,
      });
      return stdout;
    },
    async end() {
      await kill();
      await endProcess(mapper);
    },
  };
}

function prepareFolder(
  folder: string,
  ports: { readonly port: number; readonly distribution: number; readonly mapperPort: number },
): NodeJS.ProcessEnv {
  const at = (name: string): string => path.join(folder, name);
  for (const name of ['home', 'mnesia', 'log']) mkdirSync(at(name), { recursive: true });
  writeFileSync(at('enabled_plugins'), '[].');
  writeFileSync(at('rabbitmq.conf'), `listeners.tcp.1 = 127.0.0.1:${ports.port}\n`);
  return {
    ...process.env,
    HOME: at('home'),
    RABBITMQ_NODENAME: 'test@localhost',
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(ports.port),
    RABBITMQ_DIST_PORT: String(ports.distribution),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: String(ports.mapperPort),
    RABBITMQ_MNESIA_BASE: at('mnesia'),
    RABBITMQ_LOG_BASE: at('log'),
    RABBITMQ_PID_FILE: at('pid'),
    RABBITMQ_ENABLED_PLUGINS_FILE: at('enabled_plugins'),
    RABBITMQ_CONFIG_FILE: at('rabbitmq.conf'),
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
  };
}

/** Waits until a port of a program accepts connections. @throws {Error} where the program ends before */
async function untilOpen(port: number, program: ChildProcess): Promise<void> {
  while (program.exitCode === null && program.signalCode === null) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await setTimeout(50);
  }
  throw new Error(`${program.spawnfile} ended before it accepted connections`);
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
