import assert from 'node:assert/strict';
import type { ExchangeRow, Seen } from '../../../pipeline/support/api-under-test.ts';
import type { Instance } from '../instance.ts';

/** A response, or what is known of a request without one. */
export interface Answer {
  /** 0 where there was no response. */
  readonly status: number;
  /** The code of an error; null for a success, and without a response. */
  readonly code: string | null;
  readonly etag: string | null;
  readonly body: Seen['body'];
}

/** Sends a request to an instance. */
export type Send = (row: Pick<ExchangeRow, 'send' | 'headers' | 'body'>) => Promise<Answer>;

/** The outcome of a write: answered; not made, because of its response or because it was not sent; or unknown. */
export type Outcome = 'answered' | 'not made' | 'unknown';

/** Sends to an instance of this process. */
export function toInstance(instance: Pick<Instance, 'send'>): Send {
  return async (row) => {
    const { status, headers, body } = await instance.send(row);
    return checkAnswer(status, body, (name) => headers.get(name) ?? null);
  };
}

/** Sends by HTTP. @param url of the server at this moment; null where it has none */
export function overHttp(url: () => string | null): Send {
  return async ({ send, headers = {}, body }) => {
    const [method = '', target = ''] = send.split(' ');
    const to = url();
    if (to === null) return NOT_SENT;
    try {
      const response = await fetch(new URL(target, to), {
        method,
        headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(30_000),
      });
      const text = await response.text();
      return checkAnswer(response.status, text === '' ? {} : JSON.parse(text), (name) => response.headers.get(name));
    } catch (error) {
      return isRefused(error) ? NOT_SENT : LOST;
    }
  };
}

const LOST: Answer = { status: 0, code: null, etag: null, body: {} };
const NOT_SENT: Answer = { ...LOST, code: 'NOT_SENT' };

function isRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
}

function checkAnswer(status: number, body: Seen['body'], field: (name: string) => string | null): Answer {
  assert.ok(status < 500 || status === 503, `${status} ${JSON.stringify(body)}`);
  if (status === 503) assert.match(field('retry-after') ?? '', /^[1-9]/, JSON.stringify(body));
  return { status, code: status >= 400 ? String(body.errorCode) : null, etag: field('etag'), body };
}

export function judgeOutcome({ status, code }: Answer): Outcome {
  if (code === 'NOT_SENT') return 'not made';
  if (status === 0 || code === 'SERVER_OUTCOME_UNKNOWN') return 'unknown';
  return status === 503 ? 'not made' : 'answered';
}

/** Sends to one after the other. */
export function roundRobin(all: readonly Send[]): Send {
  let next = 0;
  return (row) => {
    next += 1;
    return (all[next % all.length] ?? assert.fail())(row);
  };
}
