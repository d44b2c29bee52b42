import type { IncomingMessage, ServerResponse } from 'node:http';
import { http } from '../../http/builtin-http.ts';
import { closeWithConnections, listen } from '../../http/server/listen.ts';
import { AttemptCounter } from './attempt-counter.ts';
import { type DeliveryVerdict, judgeDelivery } from './judge-delivery.ts';
import type { ListenSettings } from './listen-settings.ts';

/** A request with its verdict, and the response to it. */
export interface JudgedDelivery {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly verdict: DeliveryVerdict;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Empty where it was too large. */
  readonly body: Buffer;
  /** The number of the attempt, from 1; null for an invalid request and for one without an id. */
  readonly attempt: number | null;
  /** The status of the response. */
  readonly status: number;
}

export interface WebhookReceiverOptions extends Pick<ListenSettings, 'host' | 'port' | 'secrets' | 'statuses'> {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives each POST, after its response. */
  readonly onDelivery: (delivery: JudgedDelivery) => void;
  /** Receives errors of requests whose body did not arrive. */
  readonly onError: (error: Error) => void;
}

/** A receiver that listens. */
export interface WebhookReceiver {
  readonly port: number;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Bytes of a body: more than events of the default limits have. */
const MAX_BODY = 4 * 1_024 * 1_024;
/** Milliseconds. */
const HEAD_TIMEOUT = 10_000;
const REQUEST_TIMEOUT = 30_000;
const MAX_CONNECTIONS = 64;

/**
 * Receives webhooks, verifies them and responds: 400 for an invalid one, a status of the settings for each other one.
 *
 * @throws {Error} with the cause and the fix where the address cannot be bound
 */
export async function receiveWebhooks(options: WebhookReceiverOptions): Promise<WebhookReceiver> {
  const attempts = new AttemptCounter();
  const limits = { headersTimeout: HEAD_TIMEOUT, requestTimeout: REQUEST_TIMEOUT, connectionsCheckingInterval: 1_000 };
  const server = http.createServer(limits, (request, response) => {
    if (request.method === 'POST') receive(request, response, { ...options, attempts }).catch(options.onError);
    else refuseMethod(request, response);
  });
  server.maxConnections = MAX_CONNECTIONS;
  const port = await listen(server, options);
  return { port, close: () => closeWithConnections(server) };
}

interface ReceiveOptions extends WebhookReceiverOptions {
  readonly attempts: AttemptCounter;
}

async function receive(request: IncomingMessage, response: ServerResponse, options: ReceiveOptions): Promise<void> {
  const { secrets, statuses, attempts, now, onDelivery } = options;
  const { headers, url: path = '/' } = request;
  const body = await readBody(request);
  const verdict = body === null ? TOO_LARGE : await judgeDelivery({ headers, body }, secrets, now);
  const id = headers['webhook-id'];
  const attempt = verdict.kind === 'invalid' || typeof id !== 'string' ? null : attempts.count(id);
  const status = chooseStatus(verdict, statuses, attempt ?? 1);
  respond(response, status, verdict);
  onDelivery({ time: now(), verdict, path, headers, body: body ?? Buffer.alloc(0), attempt, status });
}

const TOO_LARGE: DeliveryVerdict = {
  kind: 'invalid',
  reason: { code: 'BODY_TOO_LARGE', message: `The body has more than ${MAX_BODY / 1_024 / 1_024} MiB.` },
};

/** Reads a body; null for one that is too large, of which the rest is discarded. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= MAX_BODY) chunks.push(chunk);
    else chunks.length = 0;
  }
  return length > MAX_BODY ? null : Buffer.concat(chunks);
}

function chooseStatus(verdict: DeliveryVerdict, statuses: readonly number[], attempt: number): number {
  if (verdict.kind === 'invalid') return verdict.reason.code === 'BODY_TOO_LARGE' ? 413 : 400;
  return statuses[Math.min(attempt, statuses.length) - 1] ?? 204;
}

/** Says the reason to the sender, too: the list of its deliveries shows it. */
function respond(response: ServerResponse, status: number, verdict: DeliveryVerdict): void {
  const text = verdict.kind === 'invalid' ? `${verdict.reason.code}: ${verdict.reason.message}\n` : '';
  const length = status === 204 || status === 304 ? {} : { 'Content-Length': Buffer.byteLength(text) };
  const type = text === '' ? {} : { 'Content-Type': 'text/plain; charset=utf-8' };
  response.writeHead(status, { ...length, ...type }).end(text);
}

function refuseMethod(request: IncomingMessage, response: ServerResponse): void {
  const text = 'This address receives webhooks: it accepts POST.\n';
  const headers = { Allow: 'POST', 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': text.length };
  response.writeHead(405, headers).end(request.method === 'HEAD' ? undefined : text);
}
