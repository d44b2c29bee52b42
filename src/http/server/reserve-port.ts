import { createServer, type Server } from 'node:net';
import process from 'node:process';
import { type Address, bind, bindError, portOf, systemCode } from './listen.ts';

/** A port that is this process's, for those that it starts to listen on. */
export interface ReservedPort {
  /** The one asked for. For 0 the one that the system chose; 0 where that is for the first of them to find out. */
  readonly port: number;
  /** Called once the first of them listens. */
  handOver(): void;
  /** Lets others have it. */
  release(): void;
}

/** A port that the system chose may be another program's that pauses: so often another one is asked for. */
const MAX_TRIES = 10;

/**
 * Claims a port for processes that share it, of which there may be none for a while: what shares a port would not hear of another
 * program that does so too.
 *
 * @throws {Error} in plain words, with the cause and the fix, where another program has it or has claimed it
 */
export async function reservePort({ host, port }: Pick<Address, 'host' | 'port'>): Promise<ReservedPort> {
  try {
    return port === 0 ? await reserveAnyPort(host) : await reserveGivenPort(host, port);
  } catch (error) {
    throw bindError(error, host, port);
  }
}

async function reserveGivenPort(host: string, port: number): Promise<ReservedPort> {
  const lock = await lockPort(port);
  const probe = placeholderServer();
  try {
    await bind(probe, { host, port });
  } catch (error) {
    lock?.close();
    throw error;
  }
  probe.close();
  return { port, handOver: () => undefined, release: () => void lock?.close() };
}

/** The port is kept from the moment that the system chooses it to the one in which another process shares it. */
async function reserveAnyPort(host: string): Promise<ReservedPort> {
  for (let tries = 1; ; tries += 1) {
    const kept = placeholderServer();
    try {
      await bind(kept, { host, port: 0, reusePort: true });
      const port = portOf(kept) ?? 0;
      const lock = await lockPort(port);
      const handOver = (): void => void kept.close();
      return { port, handOver, release: () => [kept, lock].forEach((server) => server?.close()) };
    } catch (error) {
      kept.close();
      if (systemCode(error) === 'ENOTSUP') return { port: 0, handOver: () => undefined, release: () => undefined };
      if (systemCode(error) !== 'EADDRINUSE' || tries === MAX_TRIES) throw error;
    }
  }
}

/**
 * A name that one process at a time can have, of which the system lets go however that process ends, and which reaches as far as ports do: those
 * of one network namespace. It has the port without the address, since `localhost`, `0.0.0.0` and `::` overlap with others. Only Linux has such names,
 * and elsewhere no port is shared by the system.
 */
async function lockPort(port: number): Promise<Server | null> {
  if (process.platform !== 'linux') return null;
  const lock = placeholderServer();
  await bind(lock, { path: `\0restwright/port/${port}` });
  return lock;
}

/** A server that serves nobody, and keeps no process alive. */
function placeholderServer(): Server {
  return createServer((socket) => socket.destroy()).unref();
}
