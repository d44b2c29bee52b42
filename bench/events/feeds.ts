// Measures what open feeds cost: `node bench/events/feeds.ts [feeds]`. README.md describes the method.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { createFetchHandler } from '../../src/http/fetch.ts';
import { serveHttp } from '../../src/http/serve-http.ts';
import { defineModel, startApi, resource } from '../../src/index.ts';

const FEEDS = Number(process.argv[2] ?? 1_000);
const ROUNDS = 20;

/** Memory of the server, in bytes. */
interface Memory {
  readonly heap: number;
  readonly rss: number;
}

/** The server, in a process of its own: answers `memory` and `write`. */
async function serve(): Promise<void> {
  const notes = resource({ schema: { type: 'object', properties: { text: { type: 'string' } } }, events: 'full' });
  const limits = { feeds: { per_caller: 100_000, total: 100_000 } };
  const model = defineModel({ name: 'bench', resources: { notes }, limits });
  const { api } = await startApi({ model, database: ':memory:' });
  const server = await serveHttp({ api, port: 0 });
  const write = createFetchHandler(api);
  const answer = async (message: unknown): Promise<void> => {
    if (message === 'memory') {
      for (let round = 0; round < 4; round += 1) {
        globalThis.gc?.();
        await setTimeout(50);
      }
      const { heapUsed, external, rss } = process.memoryUsage();
      process.send?.({ heap: heapUsed + external, rss } satisfies Memory);
    } else {
      const body = JSON.stringify({ text: 'x'.repeat(100) });
      const headers = { 'Content-Type': 'application/json' };
      await write(new Request('http://localhost/api/v1/notes', { method: 'POST', headers, body }));
    }
  };
  process.on('message', (message) => void answer(message));
  process.send?.(server.port);
}

async function measure(): Promise<void> {
  const child = fork(import.meta.filename, ['serve'], { execArgv: [...process.execArgv, '--expose-gc'] });
  const [port] = (await once(child, 'message')) as [number];
  const memory = async (): Promise<Memory> => {
    child.send('memory');
    const [answer] = (await once(child, 'message')) as [Memory];
    return answer;
  };
  let received = 0;
  const open = async (): Promise<net.Socket> => {
    const socket = net.connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write('GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n');
    await once(socket, 'data');
    socket.on('data', (chunk: Buffer) => (received += chunk.includes('event: note.created') ? 1 : 0));
    return socket;
  };
  const warm = await Promise.all(Array.from({ length: 50 }, open));
  for (const socket of warm) socket.destroy();
  await setTimeout(2_000);
  const before = await memory();
  const sockets: net.Socket[] = [];
  for (let at = 0; at < FEEDS; at += 50) sockets.push(...(await Promise.all(Array.from({ length: 50 }, open))));
  const after = await memory();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    received = 0;
    const begun = performance.now();
    child.send('write');
    while (received < sockets.length) await setTimeout(1);
    times.push(performance.now() - begun);
  }
  times.sort((one, other) => one - other);
  const each = (name: keyof Memory): string => ((after[name] - before[name]) / FEEDS / 1_024).toFixed(1);
  process.stdout.write(`${FEEDS} feeds: ${each('heap')} KiB of heap each, ${each('rss')} KiB resident each\n`);
  process.stdout.write(
    `an event to all of them: median ${times[ROUNDS / 2]?.toFixed(1)} ms, longest ${times.at(-1)?.toFixed(1)} ms\n`,
  );
  for (const socket of sockets) socket.destroy();
  child.kill();
}

await (process.argv[2] === 'serve' ? serve() : measure());
