import assert from 'node:assert/strict';
import type { Api } from '../../../src/api.ts';
import { rawRequest, type Seen, seen } from '../../pipeline/support/api-under-test.ts';

/** Answers of an API to a client that follows links. A run of a test ends in reasonable time. */
const MAX_ANSWERS = 4_000;

export async function get(api: Api, target: string): Promise<Seen> {
  return seen(await api.handle(rawRequest({ send: `GET ${target}` })));
}

/**
 * The answers of an API, by their URLs, for a client that starts at some URLs and follows all links. Pages, items and
 * events have links. An answer is its body, and the part of its ETag that depends on rows.
 *
 * @throws where a link does not lead to a representation
 */
export async function linkedAnswers(api: Api, starts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>();
  const targets = [...starts];
  for (let target = targets.shift(); target !== undefined && answers.size < MAX_ANSWERS; target = targets.shift()) {
    if (answers.has(target)) continue;
    const { status, headers, text, body } = await get(api, target);
    assert.equal(status, 200, `${target}: ${text}`);
    answers.set(target, `${revisionIn(headers.get('etag'))} ${text}`);
    targets.push(...linksIn(body));
  }
  return answers;
}

/** The values of all members `links`, at any depth. */
function linksIn(body: unknown): readonly string[] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([name, value]): readonly string[] =>
    name === 'links' && typeof value === 'object' && value !== null
      ? Object.values(value).filter(isLink)
      : linksIn(value),
  );
}

function isLink(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('/api/');
}

/** The revision or the state that an ETag begins with: what follows is another one in each database. */
function revisionIn(etag: string | undefined): string {
  return etag?.split('.')[0] ?? '';
}
