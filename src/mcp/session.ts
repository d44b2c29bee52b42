import { GATEWAY_FIELDS } from '../auth/gateway.ts';
import type { ApiError } from '../conventions/errors.ts';
import { type HeaderFields, headerFields } from '../conventions/headers/header-fields.ts';
import { FORWARDED_FIELDS } from '../conventions/headers/forwarded.ts';
import { isJsonObject, type Json, type JsonObject } from '../conventions/json/json.ts';
import { type QueryPairs, writeQuery } from '../conventions/url/query.ts';
import { type ApiResponse, bufferedBody, type Handler, isStreamed, type RawRequest } from '../exchange/handler.ts';
import { handlerTimedOut } from '../conventions/receive-errors.ts';
import { writeJson } from '../formats/json.ts';
import type { Model } from '../model/model.ts';
import { withTimeout } from '../platform/timeout.ts';
import type { AgentMode } from './tools.ts';

/** The API that agents use, and the rules of its tools. */
export interface AgentApi {
  readonly model: Model;
  readonly mode: AgentMode;
  readonly handler: Pick<Handler, 'handle' | 'refuse'>;
  /** The scheme and authority of URLs where the model has no `public_url`. */
  readonly origin: () => string;
  /** Makes the value that confirms a request, from a text that names the request. */
  readonly confirm: (text: string) => string;
}

/** The connection and the credentials of the program that an agent uses. */
export interface AgentCaller extends Pick<RawRequest, 'peer' | 'scheme' | 'client'> {
  /** Header fields of its credentials and of its connection, names and values alternating. */
  readonly headers: readonly string[];
  /** True if its message has taken a unit of the rate, so that its first request takes none. */
  readonly isPaid: boolean;
}

/** A request of a tool to the API. */
export interface ApiCall {
  readonly method: string;
  /** Below the base path and the version: `/products/1`. */
  readonly path: string;
  readonly query?: QueryPairs;
  readonly headers?: readonly string[];
  readonly body?: Json;
  readonly contentType?: string;
  /** A body that is a form, in place of `body`. */
  readonly form?: QueryPairs;
}

/** The response of the API to a request of a tool. */
export interface ApiAnswer {
  readonly status: number;
  readonly fields: HeaderFields;
  /** The body as the API wrote it, in JSON; `null` if there is none. */
  readonly text: string;
  /** Parses the body. Most answers are passed on as they are written. */
  readBody(): Json;
}

/** The header fields that requests of tools have from the message of the agent: credentials, proxies, traces. */
const PASSED: ReadonlySet<string> = new Set([
  'authorization',
  'host',
  'traceparent',
  'tracestate',
  ...FORWARDED_FIELDS,
  ...GATEWAY_FIELDS,
]);

/** JSON, by itself and in other types. Results have bodies as they were written, so each is one JSON value. */
const JSON_TYPE = /^application\/(?:[a-z0-9.-]+\+)?json(?:;|$)/;

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

/** Copies the fields of a message that requests of tools need. Each value is passed as often as it was sent. */
export function passHeaders(raw: readonly string[]): readonly string[] {
  const passed: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? '';
    if (PASSED.has(name.toLowerCase())) passed.push(name, raw[at + 1] ?? '');
  }
  return passed;
}

/** The way of one message of an agent to the API: by requests that run all stages, as those of any client. */
export class AgentSession {
  readonly api: AgentApi;
  readonly #caller: AgentCaller;
  #isPaid: boolean;

  constructor(api: AgentApi, caller: AgentCaller) {
    this.api = api;
    this.#caller = caller;
    this.#isPaid = caller.isPaid;
  }

  /** Sends a request, and reads its response. A request that takes too long gets 503, as on other ways (LIM-1). */
  async send(call: ApiCall, agent: AgentName): Promise<ApiAnswer> {
    const raw = this.#request(call, agent);
    this.#isPaid = false;
    const { handler, model } = this.api;
    const response = handler.handle(raw);
    // A cached row, and one that SQLite reads on this thread, is there already.
    if (!(response instanceof Promise)) return readAnswer(response);
    const refuse = (): ApiResponse => handler.refuse(handlerTimedOut(), raw);
    return readAnswer(await withTimeout(response, model.limits.handlerTimeout, refuse));
  }

  /** Writes an error as the API does, with its six members (ERR-1). */
  refuse(error: ApiError, agent: AgentName): ApiAnswer {
    return readAnswer(this.api.handler.refuse(error, this.#request({ method: 'POST', path: '' }, agent)));
  }

  #request(call: ApiCall, agent: AgentName): RawRequest {
    const { method, path, query = [], headers = [] } = call;
    const { basePath, version } = this.api.model;
    const { client } = this.#caller;
    const { type, content } = writeContent(call);
    return {
      method,
      target: `${basePath}/v${version.major}${path}${query.length === 0 ? '' : `?${writeQuery(query)}`}`,
      headers: [...this.#caller.headers, 'Accept', 'application/json', ...type, ...headers],
      body: content === null ? null : bufferedBody(content),
      httpVersion: '1.1',
      peer: this.#caller.peer,
      scheme: this.#caller.scheme ?? 'http',
      hosts: 'any',
      cors: false,
      isPartOfPaid: this.#isPaid,
      agent: agent.name,
      client: {
        get destroyed() {
          return agent.isCancelled() || client?.destroyed === true;
        },
      },
    };
  }
}

function writeContent({ body, form, contentType = 'application/json' }: ApiCall): {
  readonly type: readonly string[];
  readonly content: Uint8Array | null;
} {
  if (form !== undefined)
    return {
      type: ['Content-Type', 'application/x-www-form-urlencoded'],
      content: ENCODER.encode(writeQuery(form)),
    };
  if (body === undefined) return { type: [], content: null };
  return { type: ['Content-Type', contentType], content: ENCODER.encode(writeJson(body)) };
}

/** The agent that sent a message, and the state of its call. */
export interface AgentName {
  /** `mcp:` and the name that it gives itself. */
  readonly name: string;
  readonly isCancelled: () => boolean;
}

function readAnswer(response: ApiResponse): ApiAnswer {
  if (isStreamed(response)) throw new Error('a tool requested a stream');
  const { status, headers, body } = response;
  const fields = headerFields(headers);
  const type = fields.get('content-type');
  if (type !== null && !JSON_TYPE.test(type)) throw new Error(`a tool got ${type} in place of JSON`);
  const written = typeof body === 'string' ? body : DECODER.decode(body ?? new Uint8Array());
  const text = written === '' ? 'null' : written;
  const readBody = (): Json => {
    const parsed: Json = JSON.parse(text);
    return parsed;
  };
  return { status, fields, text, readBody };
}

/** The members of a body that is an object. */
export function bodyMembers(answer: ApiAnswer): JsonObject {
  const body = answer.readBody();
  return isJsonObject(body) ? body : {};
}
