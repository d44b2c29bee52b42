import http from 'node:http';
import https from 'node:https';
import { hostOf, type WebhookUrlRules } from '../../conventions/webhook-url.ts';
import type { WebhookSettings } from '../../model/webhook-settings.ts';
import { programVersion } from '../../platform/program-version.ts';
import { ADDRESS_BLOCKED, GuardedAgents, type GuardedAgentsOptions, systemResolve } from './guarded-agents.ts';

/** One POST to an endpoint. */
export interface WebhookRequest {
  /** As {@link parseWebhookUrl} accepted it. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds for the whole exchange: resolving, connecting, sending, receiving. */
  readonly timeout: number;
}

/** Why there was no response, without what a name resolved to. */
export type SendFailure = 'timeout' | 'forbidden' | 'unresolved' | 'refused' | 'tls' | 'connection';

/** What became of an attempt. */
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

/** Bytes of a response that are read, after which the connection is closed, and that are retained. */
const MAX_READ = 64 * 1_024;
const MAX_RETAINED = 1_024;

/** The exchange took longer than allowed. */
class SendTimeout extends Error {
  override readonly name = 'SendTimeout';
}

/** Sends webhooks: POST over connections that are kept alive, to allowed addresses alone, without following redirects (EVT-5, EVT-7). */
export class WebhookSender {
  readonly rules: WebhookUrlRules;
  readonly #agents: GuardedAgents;
  readonly #userAgent: string;

  constructor({ userAgent, ...options }: SenderOptions) {
    this.rules = options.rules;
    this.#agents = new GuardedAgents(options);
    this.#userAgent = userAgent;
  }

  /** Whether a connection to the host of an URL would be made now. */
  admits(url: URL): Promise<boolean> {
    return this.#agents.admits(url);
  }

  /** Sends a request once. A connection that was closed while it was idle is replaced. Never rejects. */
  async send(request: WebhookRequest): Promise<SendResult> {
    const { promise: expired, reject } = Promise.withResolvers<never>();
    const controller = new AbortController();
    const timer = setTimeout(() => {
      const error = new SendTimeout(`no complete response within ${request.timeout} ms`);
      reject(error);
      controller.abort(error);
    }, request.timeout);
    try {
      return await Promise.race([this.#exchange(request, controller.signal), expired]);
    } catch (error) {
      return { kind: 'failure', reason: failureOf(error) };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes idle connections, and those in use. */
  close(): void {
    this.#agents.close();
  }

  #exchange(request: WebhookRequest, signal: AbortSignal, isRepeated = false): Promise<SendResult> {
    const { url, headers, body } = request;
    const { promise, resolve, reject } = Promise.withResolvers<SendResult>();
    const length = Buffer.byteLength(body);
    const sent = (url.protocol === 'http:' ? http : https).request({
      host: hostOf(url),
      port: url.port,
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      agent: this.#agents.agentFor(url),
      headers: { host: url.host, 'user-agent': this.#userAgent, ...headers, 'content-length': length },
      signal,
    });
    sent.on('response', (response) => void read(response).then(resolve, reject));
    sent.on('error', (error) => {
      // The server closed the idle connection while the request was on its way.
      const isStale = sent.reusedSocket && !isRepeated && codeOf(error) === 'ECONNRESET';
      if (isStale && !signal.aborted) resolve(this.#exchange(request, signal, true));
      else reject(error);
    });
    sent.end(body);
    return promise;
  }
}

/**
 * The sender of a model.
 *
 * @param options its resolver and authorities, for tests; `loopback`: whether this machine may be called, also by http (`serve --dev`)
 */
export function webhookSender(
  { allowed }: WebhookSettings,
  options: Partial<Omit<GuardedAgentsOptions, 'rules'>> & { readonly loopback?: boolean } = {},
): WebhookSender {
  const { loopback = false, resolve = systemResolve, ca } = options;
  return new WebhookSender({ rules: { allowed, loopback }, resolve, ca, userAgent: `Restwright/${programVersion()}` });
}

/** Reads a response, at most {@link MAX_READ} bytes of it: what follows is not received, and the connection is closed. */
async function read(response: http.IncomingMessage): Promise<SendResult> {
  const retained: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    const bytes: Buffer = chunk;
    if (length < MAX_RETAINED) retained.push(bytes.subarray(0, MAX_RETAINED - length));
    length += bytes.length;
    // Leaving the loop destroys the response.
    if (length > MAX_READ) break;
  }
  return {
    kind: 'response',
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'] ?? null,
    // A character that was cut is left out.
    body: new TextDecoder().decode(Buffer.concat(retained), { stream: true }),
  };
}

const UNRESOLVED: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ENODATA']);

function failureOf(error: unknown): SendFailure {
  if (error instanceof SendTimeout || (error instanceof Error && error.cause instanceof SendTimeout)) return 'timeout';
  const code = codeOf(error);
  if (code === ADDRESS_BLOCKED) return 'forbidden';
  if (code === 'ECONNREFUSED') return 'refused';
  if (UNRESOLVED.has(code)) return 'unresolved';
  return /^(?:ERR_(?:SSL|TLS)_|EPROTO$|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/.test(code) ? 'tls' : 'connection';
}

/** The code of an error; of several, of which each address gave one, that of the first. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
