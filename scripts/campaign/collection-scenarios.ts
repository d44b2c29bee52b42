import {
  type CollectionQuery,
  type Comparison,
  type Item,
  OracleCollection,
  type SortKey,
  valueAt,
} from '../../test/oracle/oracle-collection.ts';
import type { FieldKind } from '../../test/oracle/values.ts';
import { isObject, type Json, listOf, member, type Received, textOf, parseJson } from './client.ts';
import type { Collection } from './known-rows.ts';
import type { Field, Resource } from './resources.ts';
import type { Session } from './session.ts';

/** Pages of one walk. */
const MOST_PAGES = 8;

/** A query with the parameters that ask for it. */
interface Asked {
  readonly query: CollectionQuery;
  readonly parameters: readonly string[];
}

/** Walks a collection by one of the techniques and compares each page with the oracle. */
export async function walk(session: Session): Promise<void> {
  const { random, rows } = session;
  const collection = rows.anyCollection(random);
  if (collection === null) return;
  const oracle = oracleOf(session, collection);
  const technique = random.pick(['cursor', 'cursor', 'page', 'offset', 'keyset', 'seek', 'time'] as const);
  const ordered = technique === 'cursor' || technique === 'page' || technique === 'offset';
  const asked = ask(session, collection.resource, ordered);
  const { parameters, expected } = positioned(session, technique, asked, oracle);
  const limit = random.integer(1, 9);
  const target = `${collection.path}?${[...asked.parameters, ...parameters, `limit=${limit}`].join('&')}`;
  const isQuery = random.chance(0.15);
  const first = await session.send(
    isQuery
      ? { ...queryRequest(target) }
      : { method: 'GET', target, headers: random.chance(0.1) ? { 'Accept-Encoding': 'gzip' } : {} },
  );
  if (!session.equal(first.status, 200, '[PAGE-4] every technique on every collection')) return;
  session.equal(member(member(first.body, 'page'), 'technique'), technique, '[PAGE-1] technique');
  const total = member(member(first.body, 'page'), 'total_count');
  const counted = technique === 'page' || technique === 'offset';
  session.check(counted === (total !== null), '[PAGE-9] totals by default', technique);
  if (counted) session.equal(total, oracle.select(asked.query).length, '[PAGE-9] an exact total');
  await follow(session, collection, first, expected, oracle);
}

function queryRequest(target: string): {
  method: string;
  target: string;
  headers: Record<string, string>;
  body: string;
} {
  const [path = '', body = ''] = target.split('?');
  return { method: 'QUERY', target: path, headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body };
}

/** Follows `next` to the end, and `prev` once. */
async function follow(
  session: Session,
  { resource }: Collection,
  first: Received,
  expected: readonly Item[],
  oracle: OracleCollection,
): Promise<void> {
  const ids: string[] = [];
  let page = first;
  let before: readonly string[] | null = null;
  for (let count = 1; ; count += 1) {
    const data = listOf(member(page.body, 'data'));
    for (const item of data) checkItem(session, resource, item, oracle);
    ids.push(...idsIn(data));
    if (before !== null && count === 2) await checkPrevious(session, page, before);
    const next = member(member(page.body, 'links'), 'next');
    if (typeof next !== 'string' || count === MOST_PAGES) break;
    before = idsIn(data);
    page = await session.send({ method: 'GET', target: next });
    if (!session.equal(page.status, 200, '[PAGE-2] links.next can be followed')) return;
  }
  const isWhole = typeof member(member(page.body, 'links'), 'next') !== 'string';
  const wanted = expected.map(({ id }) => id);
  session.equal(ids, isWhole ? wanted : wanted.slice(0, ids.length), '[PAGE-5] the rows, in order');
}

async function checkPrevious(session: Session, page: Received, before: readonly string[]): Promise<void> {
  const prev = member(member(page.body, 'links'), 'prev');
  if (!session.check(typeof prev === 'string', '[PAGE-2] the second page has prev')) return;
  const response = await session.send({ method: 'GET', target: textOf(prev) });
  session.equal(response.status, 200, '[PAGE-2] links.prev can be followed');
  session.equal(idsIn(listOf(member(response.body, 'data'))), before, '[PAGE-2] prev leads to the page before');
}

function checkItem(session: Session, resource: Resource, item: Json, oracle: OracleCollection): void {
  if (!isObject(item)) return;
  session.checkShape(resource, item);
  session.equal(item, oracle.items.get(textOf(item['id'])), '[PAGE-1] items are as the last write showed them');
}

function idsIn(data: readonly Json[]): readonly string[] {
  return data.map((item) => textOf(member(item, 'id')));
}

function oracleOf(session: Session, { path, resource }: Collection): OracleCollection {
  const kinds = Object.fromEntries(
    comparable(resource).map(({ name, kind }): [string, FieldKind] => [
      name,
      kind === 'map' || kind === 'object' ? 'text' : kind,
    ]),
  );
  const oracle = new OracleCollection({ ...kinds, created_at: 'time' }, resource.search);
  for (const { representation, id } of session.rows.in(path)) oracle.items.set(id, { ...representation, id });
  return oracle;
}

function comparable(resource: Resource): readonly Field[] {
  return resource.fields.filter(({ kind }) => kind !== 'map' && kind !== 'object');
}

/** Random filters, a search and a sort. @param ordered whether the technique allows any sort */
function ask(session: Session, resource: Resource, ordered: boolean): Asked {
  const { random } = session;
  const filtered = random.some(comparable(resource), 0.2).map((field) => filter(session, field));
  const word =
    resource.search.length > 0 && resource.name !== 'books' && random.chance(0.15)
      ? random.pick(['a', 'b', 'c', 'x', 'å', '1'])
      : null;
  const sortable = comparable(resource).filter(({ kind }) => kind !== 'list');
  const keys = ordered
    ? random
        .some(sortable, 0.3)
        .slice(0, 4)
        .map((field): SortKey => ({ path: field.name, descending: random.chance(0.5) }))
    : [];
  const sort = keys.map(({ path, descending }) => `${descending ? '-' : ''}${path}`).join(random.pick([',', '%2C']));
  return {
    query: {
      comparisons: filtered.map(({ comparison }) => comparison),
      search: word,
      order: keys.length > 0 ? keys : [{ path: 'created_at', descending: false }],
    },
    parameters: [
      ...filtered.map(({ parameter }) => parameter),
      ...(word === null ? [] : [`q=${encodeURIComponent(word)}`]),
      ...(keys.length === 0 ? [] : [`sort=${sort}`]),
    ],
  };
}

const ORDERED = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin', 'exists'] as const;

function filter(
  { random, rows }: Session,
  field: Field,
): { readonly comparison: Comparison; readonly parameter: string } {
  const { name, kind } = field;
  const operators =
    kind === 'list'
      ? (['contains', 'exists'] as const)
      : kind === 'text' && field.bad !== 'XX' && name !== 'born'
        ? ([...ORDERED, 'contains', 'starts_with'] as const)
        : kind === 'boolean'
          ? (['eq', 'ne', 'exists'] as const)
          : ORDERED;
  const operator = random.pick<Comparison['operator']>(operators);
  if (operator === 'exists') {
    const value = random.chance(0.5);
    return { comparison: { path: name, operator, values: [value] }, parameter: `${name}[exists]=${value}` };
  }
  const stored = rows
    .in('/books')
    .concat(rows.in('/authors'))
    .map(({ representation }) => valueAt(representation, name));
  const made = Array.from({ length: 20 }, () => valueAt({ made: field.make(random) }, 'made'));
  const candidates = [...stored, ...made].filter((value) => value !== null).flat();
  const values = (operator === 'in' || operator === 'nin' ? [0, 1] : [0]).map(() => random.pick(candidates));
  const written = values.map((value) => encodeURIComponent(String(value))).join(',');
  return { comparison: { path: name, operator, values }, parameter: `${name}[${operator}]=${written}` };
}

type Technique = 'cursor' | 'page' | 'offset' | 'keyset' | 'seek' | 'time';

/** The parameters of a first page, and the items from it on. */
function positioned(
  { random }: Session,
  technique: Technique,
  { query }: Asked,
  oracle: OracleCollection,
): { readonly parameters: readonly string[]; readonly expected: readonly Item[] } {
  const all = oracle.select(query);
  const some = [...oracle.items.values()];
  const row = some.length === 0 ? null : random.pick(some);
  switch (technique) {
    case 'cursor':
      return { parameters: [], expected: all };
    case 'page':
      return { parameters: ['page=1'], expected: all };
    case 'offset': {
      const offset = random.integer(0, 12);
      return { parameters: [`offset=${offset}`], expected: all.slice(offset) };
    }
    case 'keyset': {
      const descending = random.chance(0.3);
      const byId = { ...query, order: [{ path: 'id', descending }] };
      const id = row?.id ?? '0';
      const parameters = [`last_id=${encodeURIComponent(id)}`, ...(descending ? ['sort=-id'] : [])];
      return { parameters, expected: oracle.after(byId, { id }) };
    }
    case 'seek': {
      const created = creationOf(row);
      const position = { created_at: created, id: row?.id ?? '0' };
      const parameters = [`after_timestamp=${created}`, `after_id=${encodeURIComponent(position.id)}`];
      return { parameters, expected: oracle.after(query, position) };
    }
    case 'time': {
      const from = creationOf(row);
      const window = { path: 'created_at', operator: 'gte', values: [from] } as const;
      const expected = oracle.select({ ...query, comparisons: [...query.comparisons, window] });
      return { parameters: [`start_time=${from}`], expected };
    }
  }
}

/** Reads one page in the formats of collections, and compares it with JSON. */
export async function readPage(session: Session): Promise<void> {
  const { random, rows } = session;
  const collection = rows.anyCollection(random);
  if (collection === null) return;
  const target = `${collection.path}?limit=${random.integer(1, 20)}`;
  const json = await session.send({ method: 'GET', target });
  const data = listOf(member(json.body, 'data'));
  const accept = random.pick(['application/x-ndjson', 'text/csv', 'application/xml', 'text/plain']);
  const other = await session.send({ method: 'GET', target, headers: { Accept: accept } });
  session.equal(other.status, 200, `[NEG-1] ${accept}`);
  session.equal(other.headers['link'], json.headers['link'], '[NEG-1] Link in every format');
  const cached = await session.send({
    method: 'GET',
    target,
    headers: { 'If-None-Match': json.headers['etag'] ?? '' },
  });
  session.equal(cached.status, 304, '[CACHE-2] a collection that did not change');
  if (accept === 'application/x-ndjson') {
    const lines = other.text.split('\n').filter((line) => line !== '');
    session.equal(
      lines.map((line): Json => parseJson(line)),
      data,
      '[NEG-1] NDJSON has one page',
    );
  }
  if (accept === 'text/csv') {
    session.check(other.text.startsWith('id,'), '[NEG-1] CSV has a header');
    const ids = data.map((item) => textOf(member(item, 'id')));
    session.check(
      ids.every((id) => other.text.includes(id.replaceAll('"', '""'))),
      '[NEG-1] CSV has one page',
    );
  }
}

function creationOf(row: Item | null): string {
  const time = row?.['created_at'];
  return typeof time === 'string' ? time : '2026-01-01T00:00:00.000Z';
}
