import { createServer, type Server } from 'node:net';
import process from 'node:process';
import { type Address, bind, bindError, readPort, systemCode } from './listen.ts';

/** A port that this process has reserved for the workers that it starts. */
export interface ReservedPort {
  /** The requested port. For 0 the one that the operating system chose; 0 where the first worker is to find out. */
  readonly port: number;
  /** Call it once the first worker listens. */
  handOver(): void;
  /** Lets other programs have the port. */
  release(): void;
}

/** Attempts to find a free port, because a chosen one may belong to another program that has paused. */
const MAX_TRIES = 10;

/**
 * Reserves a port for workers that share it. Without a reservation another program could share it, too, while no worker
 * listens.
 *
 * @throws {Error} with the cause and the fix, where another program has bound or reserved it
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

/** Keeps the port bound from the choice of the operating system until a worker shares it. */
async function reserveAnyPort(host: string): Promise<ReservedPort> {
  for (let tries = 1; ; tries += 1) {
    const placeholder = placeholderServer();
    try {
      await bind(placeholder, { host, port: 0, reusePort: true });
      const port = readPort(placeholder) ?? 0;
      const lock = await lockPort(port);
      const handOver = (): void => void placeholder.close();
      return { port, handOver, release: () => [placeholder, lock].forEach((server) => server?.close()) };
    } catch (error) {
      placeholder.close();
      if (systemCode(error) === 'ENOTSUP') return { port: 0, handOver: () => undefined, release: () => undefined };
      if (systemCode(error) !== 'EADDRINUSE' || tries === MAX_TRIES) throw error;
    }
  }
}

/**
 * Binds an abstract socket, which only one process per network namespace can have, like a port, and which is released
 * however that process ends. Its name contains the port without the address, because `localhost`, `0.0.0.0` and `::`
 * overlap with others. Only Linux has abstract sockets; elsewhere the operating system shares no port.
 */
async function lockPort(port: number): Promise<Server | null> {
  if (process.platform !== 'linux') return null;
  const lock = placeholderServer();
  await bind(lock, { path: `\0restwright/port/${port}` });
  return lock;
}

/** A server that closes every connection, and keeps no process alive. */
function placeholderServer(): Server {
  return createServer((socket) => socket.destroy()).unref();
}
