import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient, isRequestError } from '../../src/client/client.ts';
import type { model } from './shop.ts';

/** The server's answer to one connection of a feed: the text that it sends before it ends it, or a response. */
type Connection = string | Response;

/** A connection on which the network fails. */
const LOST: Connection = Response.error();

/**
 * A feed whose server does what a test says, and a client that follows it. After the last connection the signal of the
 * client is aborted.
 */
function feed(...connections: readonly Connection[]) {
  const sent: { readonly token: string | null; readonly after: string | null }[] = [];
  const refused: (string | null)[] = [];
  const pauses: number[] = [];
  const end = new AbortController();
  const left = [...connections];
  let tokens = 0;
  const api = createClient<typeof model>({
    url: 'http://api.test/api',
    retries: 0,
    token: (last) => {
      refused.push(last);
      tokens += 1;
      return `token-${tokens}`;
    },
    fetch: async (_url, { headers }) => {
      const fields = new Headers(headers);
      sent.push({ token: fields.get('Authorization'), after: fields.get('Last-Event-ID') });
      const next = left.shift();
      if (left.length === 0) end.abort(new Error('the test has ended'));
      if (next === LOST) throw new TypeError('fetch failed');
      if (next instanceof Response) return Promise.resolve(next);
      return Promise.resolve(new Response(next, { headers: { 'Content-Type': 'text/event-stream' } }));
    },
    platform: {
      now: () => 0,
      random: () => 0.5,
      uniqueKey: () => 'key',
      wait: async (milliseconds) => {
        pauses.push(milliseconds);
        return Promise.resolve();
      },
    },
  });
  const received: string[] = [];
  /** Reads events until the feed ends. @returns the error with which it does */
  const follow = async (after?: string): Promise<unknown> => {
    try {
      for await (const { id } of api.$events({ signal: end.signal, ...(after === undefined ? {} : { after }) }))
        received.push(id);
      return null;
    } catch (error) {
      return error;
    }
  };
  return { sent, refused, pauses, received, follow };
}

const event = (id: number): string => `id: ${id}\nevent: note.created\ndata: {"id":"e${id}"}\n\n`;

function problem(status: number, errorCode: string): object {
  return { httpStatus: status, errorCode, errorMessage: 'No.', correlationId: 'c', timestamp: '', details: [] };
}

/** The last event of a feed that the server ends. */
const ended = (status: number, code: string): string =>
  `event: error\ndata: ${JSON.stringify(problem(status, code))}\n\n`;
const refusal = (status: number, code: string): Response => Response.json(problem(status, code), { status });

/** The kind of an error of the client; the text of another one. */
function nameKind(error: unknown): string {
  return isRequestError(error) ? error.kind : String(error);
}

const EXPIRED = ended(401, 'AUTH_TOKEN_EXPIRED');
const UNTIL_END = /the test has ended/;

describe('a feed of a client', () => {
  it('[EVT-8b] [AUTH-3b] continues after the end of its token with a new one, after the last event', async () => {
    const { follow, sent, pauses, received } = feed(event(1) + event(2) + EXPIRED, EXPIRED, event(3), '');
    assert.match(String(await follow()), UNTIL_END);
    assert.deepEqual(received, ['e1', 'e2', 'e3']);
    assert.deepEqual(sent, [
      { token: 'Bearer token-1', after: null },
      { token: 'Bearer token-2', after: '2' },
      { token: 'Bearer token-3', after: '2' },
      { token: 'Bearer token-4', after: '3' },
    ]);
    assert.deepEqual(pauses, [3_000, 3_000, 3_000]);
  });

  it('[EVT-8b] [AUTH-3b] asks once more for a token that is refused, and ends where that is refused, too', async () => {
    const refused = refusal(401, 'AUTH_TOKEN_EXPIRED');
    const renewed = feed(refused, event(1), '');
    assert.match(String(await renewed.follow()), UNTIL_END);
    assert.deepEqual(renewed.received, ['e1']);
    assert.deepEqual(renewed.refused, [null, 'token-1', null]);
    const given = feed(refusal(401, 'AUTH_TOKEN_EXPIRED'), refusal(401, 'AUTH_TOKEN_INVALID'), event(1), '');
    assert.equal(nameKind(await given.follow()), 'AUTH_TOKEN_INVALID');
    assert.equal(given.sent.length, 2);
    assert.deepEqual(given.received, []);
  });

  for (const [status, code] of [
    [410, 'EVENT_POSITION_EXPIRED'],
    [401, 'AUTH_TOKEN_INVALID'],
    [403, 'AUTH_SCOPE_INSUFFICIENT'],
  ] as const) {
    it(`[EVT-8b] ends with an error that another connection would not change: ${code}`, async () => {
      const within = feed(event(1) + ended(status, code), event(2), '');
      assert.equal(nameKind(await within.follow()), code);
      assert.deepEqual([within.received, within.sent.length], [['e1'], 1]);
    });
  }

  it('[EVT-8b] continues after what passes: a lost connection, an overload, an end of the server', async () => {
    const { follow, sent, received } = feed(
      LOST,
      refusal(503, 'SERVER_OVERLOADED'),
      event(5),
      ended(503, 'SERVER_UNAVAILABLE'),
      event(6),
      '',
    );
    assert.match(String(await follow('4')), UNTIL_END);
    assert.deepEqual(received, ['e5', 'e6']);
    assert.deepEqual(
      sent.map(({ after }) => after),
      ['4', '4', '4', '5', '5', '6'],
    );
  });

  it('[EVT-8b] has come as far as a heartbeat says, which is no event', async () => {
    const { follow, sent, received } = feed('retry: 3000\n\n: heartbeat\nid: 9\n\n', '');
    assert.match(String(await follow()), UNTIL_END);
    assert.deepEqual(received, []);
    assert.deepEqual(
      sent.map(({ after }) => after),
      [null, '9'],
    );
  });

  it('[EVT-8b] stays where it has come where a connection says nothing of it, or ends with what is no error', async () => {
    const start = 'retry: 3000\n\n';
    const { follow, sent, received } = feed(
      start + event(1),
      start,
      `${start}event: error\ndata: {}\n\n`,
      event(2),
      '',
    );
    assert.match(String(await follow()), UNTIL_END);
    assert.deepEqual(received, ['e1', 'e2']);
    assert.deepEqual(
      sent.map(({ after }) => after),
      [null, '1', '1', '1', '2'],
    );
  });

  it('[EVT-8b] drops an event of which only a part arrived, and reads it from the next connection', async () => {
    const { follow, sent, received } = feed(event(1) + event(2).slice(0, -1), event(2), '');
    assert.match(String(await follow()), UNTIL_END);
    assert.deepEqual(received, ['e1', 'e2']);
    assert.deepEqual(
      sent.map(({ after }) => after),
      [null, '1', '2'],
    );
  });

  it('ends with an error where the response is no feed', async () => {
    const page = feed(Response.json({ data: [] }), event(1), '');
    assert.equal(nameKind(await page.follow()), 'CLIENT_RESPONSE_INVALID');
    assert.deepEqual([page.received, page.sent.length], [[], 1]);
  });
});
