import http from 'node:http';
import https from 'node:https';
import { webhookHost, type WebhookUrlRules } from '../../conventions/events/webhook-url.ts';
import type { WebhookSettings } from '../../model/webhook-settings.ts';
import { programVersion } from '../../platform/process/program-version.ts';
import { withTimeout } from '../../platform/timeout.ts';
import { ADDRESS_BLOCKED, GuardedAgents, type GuardedAgentsOptions, systemResolve } from './guarded-agents.ts';

/** One POST to an endpoint. */
export interface WebhookRequest {
  /** A URL that {@link parseWebhookUrl} accepted. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds for the whole exchange: resolving, connecting, sending, receiving. */
  readonly timeout: number;
}

/** The reason why there was no response, without the addresses of the host. */
export type SendFailure = 'timeout' | 'forbidden' | 'unresolved' | 'refused' | 'tls' | 'connection';

/** The result of an attempt. */
export type SendResult =
  | {
      readonly kind: 'response';
      readonly status: number;
      /** The field `Retry-After`. */
      readonly retryAfter: string | null;
      /** The first KiB of the body. */
      readonly body: string;
    }
  | { readonly kind: 'failure'; readonly reason: SendFailure };

export interface SenderOptions extends GuardedAgentsOptions {
  readonly userAgent: string;
}

/** Bytes of a response that are read before the connection is closed, and bytes that are retained. */
const MAX_READ = 64 * 1_024;
const MAX_RETAINED = 1_024;

/**
 * Sends webhooks: POST over keep-alive connections, to allowed addresses only, without following redirects (EVT-5,
 * EVT-7).
 */
export class WebhookSender {
  readonly rules: WebhookUrlRules;
  readonly #agents: GuardedAgents;
  readonly #userAgent: string;

  constructor({ userAgent, ...options }: SenderOptions) {
    this.rules = options.rules;
    this.#agents = new GuardedAgents(options);
    this.#userAgent = userAgent;
  }

  /** True if a connection to the host of a URL would be made now. */
  admits(url: URL): Promise<boolean> {
    return this.#agents.admits(url);
  }

  /** Sends a request once. A connection that was closed while it was idle is replaced. Never rejects. */
  send(request: WebhookRequest): Promise<SendResult> {
    const call = new Call(request, this.#optionsOf(request));
    return withTimeout(call.run(), request.timeout, () => {
      call.abort();
      return { kind: 'failure', reason: 'timeout' };
    });
  }

  /** Closes idle connections, and those in use. */
  close(): void {
    this.#agents.close();
  }

  #optionsOf({ url, headers, body }: WebhookRequest): http.RequestOptions {
    return {
      host: webhookHost(url),
      port: url.port,
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      agent: this.#agents.agentFor(url),
      headers: {
        host: url.host,
        'user-agent': this.#userAgent,
        ...headers,
        'content-length': Buffer.byteLength(body),
      },
    };
  }
}

/** One request and its response. It uses a second connection if the receiver has closed the first one meanwhile. */
class Call {
  readonly #request: WebhookRequest;
  readonly #options: http.RequestOptions;
  #sent: http.ClientRequest | null = null;
  #isAborted = false;

  constructor(request: WebhookRequest, options: http.RequestOptions) {
    this.#request = request;
    this.#options = options;
  }

  /** Sends the request. Never rejects; the result after an abort is arbitrary. */
  run(isRepeated = false): Promise<SendResult> {
    const { url, body } = this.#request;
    const { promise, resolve } = Promise.withResolvers<SendResult>();
    const sent = (url.protocol === 'http:' ? http : https).request(this.#options);
    this.#sent = sent;
    sent.on('response', (response) => readResponse(response, resolve));
    // Without this listener a 101, which no request allows, would block the attempt until its timeout.
    sent.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve(toResult(response, []));
    });
    sent.on('error', (error) => {
      // The server closed the idle connection while the request was on its way.
      const isStale = sent.reusedSocket && !isRepeated && errorCode(error) === 'ECONNRESET';
      if (isStale && !this.#isAborted) resolve(this.run(true));
      else resolve({ kind: 'failure', reason: classifyFailure(error) });
    });
    sent.end(body);
    return promise;
  }

  abort(): void {
    this.#isAborted = true;
    this.#sent?.destroy();
  }
}

/**
 * Makes the sender of a model.
 *
 * @param options its resolver and authorities, for tests; `loopback` is true if this machine may be called, also by
 *   http (`serve --dev`)
 */
export function webhookSender(
  { allowed }: WebhookSettings,
  options: Partial<Omit<GuardedAgentsOptions, 'rules'>> & { readonly loopback?: boolean } = {},
): WebhookSender {
  const { loopback = false, resolve = systemResolve, ca } = options;
  return new WebhookSender({ rules: { allowed, loopback }, resolve, ca, userAgent: `Restwright/${programVersion()}` });
}

/** Reads at most {@link MAX_READ} bytes of a response: the rest is not received, and the connection is closed. */
function readResponse(response: http.IncomingMessage, resolve: (result: SendResult) => void): void {
  const retained: Buffer[] = [];
  let length = 0;
  const end = (): void => resolve(toResult(response, retained));
  response.on('data', (chunk: Buffer) => {
    if (length < MAX_RETAINED) retained.push(chunk.subarray(0, MAX_RETAINED - length));
    length += chunk.length;
    if (length <= MAX_READ) return;
    end();
    response.destroy();
  });
  response.on('end', end);
  response.on('error', (error) => resolve({ kind: 'failure', reason: classifyFailure(error) }));
}

function toResult({ statusCode, headers }: http.IncomingMessage, body: readonly Buffer[]): SendResult {
  return {
    kind: 'response',
    status: statusCode ?? 0,
    retryAfter: headers['retry-after'] ?? null,
    body: decodeText(body),
  };
}

/** Decodes bytes to a string, without a truncated character at its end. */
function decodeText(bytes: readonly Buffer[]): string {
  return bytes.length === 0 ? '' : new TextDecoder().decode(Buffer.concat(bytes), { stream: true });
}

const UNRESOLVED: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ENODATA']);

function classifyFailure(error: unknown): SendFailure {
  const code = errorCode(error);
  if (code === ADDRESS_BLOCKED) return 'forbidden';
  if (code === 'ECONNREFUSED') return 'refused';
  if (UNRESOLVED.has(code)) return 'unresolved';
  return /^(?:ERR_(?:SSL|TLS)_|EPROTO$|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/.test(code) ? 'tls' : 'connection';
}

/** Finds the code of an error; of several, one for each address, that of the first. */
function errorCode(error: unknown): string {
  if (error instanceof AggregateError) return errorCode(error.errors[0]);
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
