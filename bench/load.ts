import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** How many answers came, and how long it took. */
export interface LoadResult {
  readonly answers: number;
  /** Seconds. */
  readonly seconds: number;
}

/**
 * Keeps `connections` connections to loopback busy, each with one request at a time, for `seconds`.
 *
 * @param next the path of the next request
 * @throws {Error} for any answer but a full 200
 */
export async function load(
  port: number,
  connections: number,
  seconds: number,
  next: () => string,
): Promise<LoadResult> {
  const start = performance.now();
  const until = start + seconds * 1000;
  const counts = await Promise.all(Array.from({ length: connections }, () => drive(port, until, next)));
  return { answers: counts.reduce((sum, count) => sum + count, 0), seconds: (performance.now() - start) / 1000 };
}

async function drive(port: number, until: number, next: () => string): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  await once(socket, 'connect');
  try {
    return await exchange(socket, until, next);
  } finally {
    socket.destroy();
  }
}

function exchange(socket: Socket, until: number, next: () => string): Promise<number> {
  return new Promise((resolve, reject) => {
    let count = 0;
    let received = '';
    const ask = (): void => void socket.write(`GET ${next()} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    socket.on('error', reject);
    // Latin-1 keeps one character for each byte, which is what Content-Length counts.
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      received += chunk;
      const head = received.indexOf('\r\n\r\n');
      if (head === -1) return;
      const length = Number(/content-length: (\d+)/i.exec(received.slice(0, head))?.[1]);
      if (received.length < head + 4 + length) return;
      if (!received.startsWith('HTTP/1.1 200 ')) return reject(new Error(received.slice(0, head)));
      received = '';
      count += 1;
      if (performance.now() < until) ask();
      else resolve(count);
    });
    ask();
  });
}
