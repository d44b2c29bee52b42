import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { collected } from './observed-client.ts';
import type { model } from './shop.ts';

/** One page as the server describes it. */
interface Page {
  readonly ids: readonly string[];
  readonly facts: Readonly<Record<string, unknown>>;
  readonly next?: string;
}

interface SentRead {
  readonly method: string;
  readonly target: string;
  readonly type: string | null;
  readonly body: string | null;
}

/** A client of a server that answers with these pages, in order, and what it has sent. */
function reader(...pages: readonly Page[]) {
  const sent: SentRead[] = [];
  const left = [...pages];
  const { notes } = createClient<typeof model>({
    url: 'http://api.test',
    fetch: async (url, { method = '', headers, body }) => {
      const type = new Headers(headers).get('Content-Type');
      sent.push({
        method,
        target: url.slice('http://api.test'.length),
        type,
        body: typeof body === 'string' ? body : null,
      });
      const { ids, facts, next } = left.shift() ?? assert.fail('one request too many');
      const page = { count: ids.length, limit: 1, has_more: left.length > 0, ...facts };
      const links = { self: '/notes', ...(next === undefined ? {} : { next }) };
      return Promise.resolve(Response.json({ data: ids.map((id) => ({ id })), page, links }));
    },
  });
  return { notes, sent };
}

const FORM = 'application/x-www-form-urlencoded';
/** The longest target of a GET. */
const MAX = 6_000;

/** A filter of a query whose target has so many characters. */
function filter(length: number): { readonly text: string } {
  const start = '/notes?filter[text]=';
  return { text: 'x'.repeat(length - start.length) };
}

const last: Page = { ids: ['b'], facts: { technique: 'cursor', next_cursor: null } };

describe('a query of a client', () => {
  it('[MET-9] is a GET up to the longest target, and the same parameters in the body of a QUERY beyond', async () => {
    const short = reader(last);
    await short.notes.page({ filter: filter(MAX) });
    const { text } = filter(MAX);
    assert.deepEqual(short.sent, [{ method: 'GET', target: `/notes?filter[text]=${text}`, type: null, body: null }]);
    assert.equal(short.sent[0]?.target.length, MAX);
    const long = reader(last);
    await long.notes.page({ filter: filter(MAX + 1) });
    assert.deepEqual(long.sent, [{ method: 'QUERY', target: '/notes', type: FORM, body: `filter[text]=x${text}` }]);
  });

  it('[PAGE-2] [MET-9] has its next page by the cursor where the server leaves out a link that is too long', async () => {
    const { notes, sent } = reader({ ids: ['a'], facts: { technique: 'cursor', next_cursor: 'c1' } }, last);
    const long = { filter: filter(MAX + 1), limit: 1 };
    assert.deepEqual(await collected(notes.list(long), ({ id }) => id), ['a', 'b']);
    const [first, second] = sent;
    assert.deepEqual([first?.method, second?.method], ['QUERY', 'QUERY']);
    assert.equal(second?.body, `${first?.body}&after=c1`);
  });

  it('[PAGE-2] [MET-9] follows a link whose query is too long as a QUERY', async () => {
    const search = `?filter[text]=${'y'.repeat(MAX)}`;
    const { notes, sent } = reader({ ids: ['a'], facts: { technique: 'cursor' }, next: `/notes${search}` }, last);
    assert.deepEqual(await collected(notes.list({}), ({ id }) => id), ['a', 'b']);
    assert.deepEqual(sent.slice(1), [{ method: 'QUERY', target: '/notes', type: FORM, body: search.slice(1) }]);
  });

  const offset = { technique: 'offset', next_cursor: undefined };

  it('[PAGE-2] [MET-9] is refused after a full page by another technique: its next page cannot be named', async () => {
    const { notes, sent } = reader({ ids: ['a'], facts: { ...offset, limit: 1 } });
    const ids: string[] = [];
    const read = async (): Promise<void> => {
      for await (const { id } of notes.list({ filter: filter(MAX + 1), offset: 0 })) ids.push(id);
    };
    const message = 'A query that is too long for a URL has pages by cursor only: leave out the offset position.';
    await assert.rejects(read, new TypeError(message));
    assert.deepEqual(ids, ['a']);
    assert.equal(sent.length, 1);
  });

  it('[PAGE-2] ends after a page by another technique that is not full, and after a short query without a link', async () => {
    const partial = reader({ ids: ['a'], facts: { ...offset, limit: 2 } });
    assert.deepEqual(await collected(partial.notes.list({ filter: filter(MAX + 1), offset: 0 }), ({ id }) => id), [
      'a',
    ]);
    const short = reader({ ids: ['a'], facts: { ...offset, limit: 1 } });
    assert.deepEqual(await collected(short.notes.list({ offset: 0 }), ({ id }) => id), ['a']);
    assert.deepEqual([partial.sent.length, short.sent.length], [1, 1]);
  });
});
