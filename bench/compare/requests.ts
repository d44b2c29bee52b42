/** A request of a load. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, in which {@link SERIAL} stands for a number that no other request has. */
  readonly body?: string;
}

export const SERIAL = '{n}';

/** Digits that {@link SERIAL} becomes: always as many, so that the length of a body is known beforehand. */
export const SERIAL_LENGTH = 24;

/** The request as HTTP/1.1 writes it, but for its number. */
export function rawRequest({ method, path, headers = {}, body }: LoadRequest): string {
  const fields = { Host: '127.0.0.1', ...headers, ...(body === undefined ? {} : bodyFields(body)) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
}

function bodyFields(body: string): Readonly<Record<string, string>> {
  const length = Buffer.byteLength(body.replaceAll(SERIAL, '0'.repeat(SERIAL_LENGTH)));
  return { 'Content-Type': 'application/json', 'Content-Length': String(length) };
}
