import { once } from 'node:events';
import http from 'node:http';
import { appendFileSync } from 'node:fs';
import process from 'node:process';
import fastify from 'fastify';
import type { Api } from '../../../src/api.ts';
import { isHost, isLoopbackHost } from '../../../src/conventions/url/host.ts';
import { createFetchHandler } from '../../../src/http/fetch.ts';
import { frameworkErrors, restwright } from '../../../src/http/fastify.ts';
import { owns } from '../../../src/http/mounted-api.ts';
import { createListener } from '../../../src/http/listener.ts';
import { serveHttp } from '../../../src/http/serve-http.ts';
import type { ApiResponse, RawRequest } from '../../../src/exchange/handler.ts';

/** A transport to an API; null if it cannot carry a request, which is then passed to the API directly. */
export interface Transport {
  send(request: RawRequest): Promise<ApiResponse | null>;
  /** Sends with fetch, for behavior of complete messages: the response to HEAD, a stalled body. */
  ask(target: string, init: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

export const mounts = ['serve', 'listener', 'fastify', 'fetch'] as const;
export const transports = ['handle', ...mounts] as const;
export type TransportName = (typeof transports)[number];

/** The file for the counts of carried and direct requests of each API. */
const report = process.env['RESTWRIGHT_TRANSPORT_REPORT'];

/** The transport that the environment names. Default: direct. */
export function chosenTransport(): TransportName {
  const name = process.env['RESTWRIGHT_TRANSPORT'] ?? 'handle';
  const known = transports.find((each) => each === name);
  if (known === undefined) throw new Error(`RESTWRIGHT_TRANSPORT is none of ${transports.join(', ')}: ${name}`);
  return known;
}

/** Opens a transport to an API. Requests that it cannot carry are passed to the API directly. */
export function carry(
  api: Api,
  name: TransportName,
): { handle(request: RawRequest): Promise<ApiResponse>; close(): Promise<void> } {
  let opened: Promise<Transport> | null = null;
  const count = { carried: 0, spared: 0 };
  return {
    async handle(request) {
      if (name === 'handle') return api.handle(request);
      opened ??= open(api, name);
      const answer = await (await opened).send(request);
      count[answer === null ? 'spared' : 'carried'] += 1;
      return answer ?? api.handle(request);
    },
    close: async () => {
      if (report !== undefined) appendFileSync(report, `${JSON.stringify(count)}\n`);
      await (await opened)?.close();
    },
  };
}

/** Opens a transport. */
export function open(api: Api, name: (typeof mounts)[number]): Promise<Transport> {
  switch (name) {
    case 'serve':
      return serve(api);
    case 'listener':
      return listen(api);
    case 'fastify':
      return plugIn(api);
    case 'fetch':
      return Promise.resolve(fetching(api));
  }
}

async function serve(api: Api): Promise<Transport> {
  const server = await serveHttp({ api, port: 0 });
  return socket(server.port, async () => void (await server.close()), isCarried);
}

/**
 * Bun and Deno close the connection of a request with a method that they do not know; Node.js lets our server respond
 * to it.
 */
function isCarried({ method }: RawRequest): boolean {
  return (process.versions['bun'] ?? process.versions['deno']) === undefined || http.METHODS.includes(method);
}

async function listen(api: Api): Promise<Transport> {
  const server = http
    .createServer({ requireHostHeader: false, maxHeaderSize: 300_000 }, createListener(api))
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return socket(
    address !== null && typeof address === 'object' ? address.port : 0,
    async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    isParsed,
  );
}

async function plugIn(api: Api): Promise<Transport> {
  const options = { requireHostHeader: false, maxHeaderSize: 300_000 };
  const app = fastify({
    http: options,
    routerOptions: { ignoreDuplicateSlashes: true, ignoreTrailingSlash: true },
    frameworkErrors: frameworkErrors(api),
    forceCloseConnections: true,
  });
  app.get('/own', () => 'mine');
  app.register(restwright, { api });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return socket(
    Number(new URL(url).port),
    () => app.close(),
    (raw) => isParsed(raw) && owns(api, raw.target),
  );
}

/** True if Node's HTTP parser accepts a request, and a mount judges it as our own server does. */
function isParsed({ method, headers }: Pick<RawRequest, 'method' | 'headers'>): boolean {
  const host = headers[headers.findIndex((each) => each.toLowerCase() === 'host') + 1];
  // Mounts accept every name; the tests of pipelines expect that of our own server.
  if (host !== undefined && isHost(host) && !isLoopbackHost(host)) return false;
  const lengths = headers.filter(
    (_, at) => at % 2 === 1 && /^(?:content-length|transfer-encoding)$/i.test(headers[at - 1] ?? ''),
  );
  return http.METHODS.includes(method) && lengths.length < 2 && lengths.every((each) => /^\d+$/.test(each));
}

/** Sends with Node's HTTP client, which rejects some invalid requests. */
function socket(
  port: number,
  close: () => Promise<void>,
  takes: (request: RawRequest) => boolean = () => true,
): Transport {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  return {
    async send(raw) {
      const { method, target, headers, body } = raw;
      if (!takes(raw) || !isPlain({ method, target, headers })) return null;
      const sent = body === null ? new Uint8Array() : await collectBytes(body);
      const lengths =
        named(headers, 'content-length') || (body === null && method === 'GET')
          ? []
          : ['Content-Length', String(sent.length)];
      try {
        const request = http.request({
          port,
          host: '127.0.0.1',
          agent,
          method,
          path: target,
          headers: [...headers, ...lengths],
          setHost: false,
        });
        const answered = once(request, 'response') as Promise<[http.IncomingMessage]>;
        request.end(Buffer.from(sent));
        const [response] = await answered;
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        return { status: response.statusCode ?? 0, headers: ours(response.rawHeaders), body: Buffer.concat(chunks) };
      } catch (error) {
        if (isClients(error)) return null;
        throw error;
      }
    },
    ask: (target, init) => fetch(`http://127.0.0.1:${port}${target}`, init),
    async close() {
      agent.destroy();
      await close();
    },
  };
}

function fetching(api: Api): Transport {
  const handle = createFetchHandler(api);
  return {
    async send({ method, target, headers, body }) {
      if (method === 'HEAD') return null;
      const sent = body === null ? null : await collectBytes(body);
      const request = toFetchRequest(method, target, headers, sent);
      if (request === null || !isParsed({ method, headers })) return null;
      const response = await handle(request, { peer: '127.0.0.1' });
      const bytes = new Uint8Array(await response.arrayBuffer());
      return { status: response.status, headers: ours([...response.headers].flat()), body: bytes };
    },
    ask: (target, init) => handle(new Request(`http://localhost:3000${target}`, init), { peer: '127.0.0.1' }),
    close: () => Promise.resolve(),
  };
}

/** Converts to a fetch request; null if fetch would change it. */
function toFetchRequest(
  method: string,
  target: string,
  headers: readonly string[],
  body: Uint8Array | null,
): Request | null {
  const pairs = Array.from({ length: headers.length / 2 }, (_, at): [string, string] => [
    headers[2 * at] ?? '',
    headers[2 * at + 1] ?? '',
  ]);
  const sent = method === 'GET' || method === 'HEAD' || body === null ? null : new Uint8Array(body);
  try {
    const request = new Request(`http://localhost:3000${target}`, { method, headers: pairs, body: sent });
    const isSame =
      !target.includes('#') && request.url === `http://localhost:3000${target}` && request.method === method;
    return isSame && pairs.every(([name, value]) => request.headers.get(name) === value) ? request : null;
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

async function collectBytes(body: NonNullable<RawRequest['body']>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body.chunks()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function named(headers: readonly string[], name: string): boolean {
  return headers.some((each, at) => at % 2 === 0 && each.toLowerCase() === name);
}

/** Header fields that the server does not add. */
function ours(headers: readonly string[]): readonly string[] {
  const theirs = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length']);
  return headers.filter((_, at) => !theirs.has((headers[at - (at % 2)] ?? '').toLowerCase()));
}

/**
 * True if Node's client sends a request unchanged: it sends methods in capitals, trims values, and knows no targets but
 * paths. Responses to HEAD come without the body by which they are compared.
 */
function isPlain({ method, target, headers }: Pick<RawRequest, 'method' | 'target' | 'headers'>): boolean {
  if (!/^[A-Z]+$/.test(method) || method === 'CONNECT' || method === 'HEAD') return false;
  if (!/^\/[\x21-\x7e]*$/.test(target) || named(headers, 'expect')) return false;
  return headers.every((each) => each === each.trim());
}

/** True if the error is that of an HTTP client which refuses to send a request. */
function isClients(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^ERR_(?:UNESCAPED|INVALID|HTTP)/.test(String(error.code));
}
