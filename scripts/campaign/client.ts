import { Agent, request as httpRequest } from 'node:http';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: Json;
}

/** A request of the campaign. */
export interface Request {
  readonly method: string;
  /** The target, `/api/v1/books?limit=1`. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Received {
  readonly status: number;
  /** By lower-case name; repeated fields are joined. */
  readonly headers: Readonly<Record<string, string>>;
  /** As sent. */
  readonly bytes: Buffer;
  /** Decompressed. */
  readonly text: string;
  /** The value of a JSON body, else null. */
  readonly body: Json;
}

/** Sends one request at a time over one connection. */
export class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #origin: URL;

  /** @param origin `http://127.0.0.1:3000` */
  constructor(origin: string) {
    this.#origin = new URL(origin);
  }

  /** @throws {Error} where the connection fails */
  send({ method, target, headers, body }: Request): Promise<Received> {
    const { promise, resolve, reject } = Promise.withResolvers<Received>();
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const request = httpRequest(
      {
        agent: this.#agent,
        host: this.#origin.hostname,
        port: this.#origin.port,
        method,
        path: target,
        headers: { ...length, ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const fields = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
          resolve(received(response.statusCode ?? 0, Object.fromEntries(fields), Buffer.concat(chunks)));
        });
      },
    );
    request.on('error', reject);
    request.end(body);
    return promise;
  }

  close(): void {
    this.#agent.destroy();
  }
}

const decoders: Readonly<Record<string, (coded: Uint8Array) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
};

function received(status: number, headers: Readonly<Record<string, string>>, bytes: Buffer): Received {
  const decoder = decoders[headers['content-encoding'] ?? ''];
  const text = (decoder === undefined || bytes.length === 0 ? bytes : decoder(bytes)).toString();
  const isJson = /[/+]json$/.test(headers['content-type'] ?? '') && text !== '';
  return { status, headers, bytes, text, body: isJson ? parseJson(text) : null };
}

/** The request as a command line. */
export function toCurl(origin: string, { method, target, headers, body }: Request): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  const fields = Object.entries(headers ?? {}).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const data = body === undefined ? [] : [`--data-binary ${quoted(body)}`];
  const method_ = method === 'HEAD' ? ['--head'] : ['-X', method];
  return ['curl -i --globoff --path-as-is', ...method_, ...fields, ...data, quoted(`${origin}${target}`)].join(' ');
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of an object; null where there is none. */
export function member(value: Json | undefined, name: string): Json {
  return isObject(value) ? (value[name] ?? null) : null;
}

export function toList(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** A text itself, and other values as JSON. */
export function toText(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** @throws {SyntaxError} */
export function parseJson(text: string): Json {
  const value: Json = JSON.parse(text);
  return value;
}
