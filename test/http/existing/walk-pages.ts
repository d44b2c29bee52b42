import assert from 'node:assert/strict';
import type { ApiUnderTest } from '../../pipeline/support/api-under-test.ts';

/** Rows of a walk that repeats none. */
export const WALKED_ROWS = 10_000;

/** Follows a link from page to page. @returns the ids of all pages */
export async function walkPages(api: ApiUnderTest, first: string, link: 'next' | 'prev'): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let target: string | undefined = `/api/v1/${first}`; target !== undefined; ) {
    const { status, body, text } = await api.send({ send: `GET ${target}` });
    assert.equal(status, 200, text);
    const page: readonly string[] = body.data.map(({ id }: { id: string }) => id);
    ids.push(...(link === 'prev' ? page.toReversed() : page));
    assert.ok(ids.length <= WALKED_ROWS, `${first} repeats rows`);
    target = body.links[link];
  }
  return ids;
}

/** The model of a log whose tables are `entry` and `part`. */
export const LOG_MODEL = `
name: log
limits: { page: { default: 100, max: 1000 } }
resources:
  entries:
    table: entry
    time_field: at
    indexes: [kind, at]
    schema: { type: object, properties: { kind: { type: string }, size: { type: integer }, at: { type: string, format: date-time } } }
  parts: { table: part, schema: { type: object, properties: { c: { type: string } } } }
`;

/** The first pages of walks through all entries, by each technique. */
export const WALKS = [
  'entries?limit=700',
  'entries?sort=kind&limit=700',
  'entries?sort=-kind&limit=700',
  'entries?sort=size,-kind&limit=700',
  'entries?sort=-size&limit=700',
  'entries?sort=-at&limit=700',
  'entries?last_id=0&limit=700',
  'entries?after_timestamp=2000-01-01T00:00:00Z&after_id=0&limit=700',
  'entries?start_time=2000-01-01T00:00:00Z&limit=700',
  'entries?page=1&sort=kind&limit=1000',
  'entries?offset=0&sort=size&limit=1000',
] as const;
