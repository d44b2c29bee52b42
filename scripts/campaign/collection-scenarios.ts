import {
  type CollectionQuery,
  type Comparison,
  type Item,
  OracleCollection,
  type SortKey,
  valueAt,
} from '../../test/oracle/oracle-collection.ts';
import type { FieldKind } from '../../test/oracle/values.ts';
import { isObject, type Json, toList, member, type Received, toText } from './client.ts';
import type { Collection } from './known-rows.ts';
import type { Field, Resource } from './resources.ts';
import type { Session } from './session.ts';

/** Pages of one walk. */
const MOST_PAGES = 8;

/** A query with the parameters that ask for it. */
interface Asked {
  readonly query: CollectionQuery & { readonly comparisons: Comparison[] };
  readonly parameters: string[];
}

/** A walk through a collection. */
interface Walk {
  readonly resource: Resource;
  readonly path: string;
  readonly technique: Technique;
  /** The items from the first page on. */
  readonly expected: readonly Item[];
  readonly oracle: OracleCollection;
}

/** Walks a collection by one of the techniques and compares each page with the oracle. */
export async function walk(session: Session): Promise<void> {
  const { random, rows } = session;
  const collection = rows.anyCollection(random);
  if (collection === null) return;
  const oracle = findOracle(session, collection);
  const technique = random.pick(TECHNIQUES);
  const ordered = technique === 'cursor' || technique === 'page' || technique === 'offset';
  const asked = ask(session, collection.resource, ordered);
  // Alone and without a sort a window is the technique `time`.
  const isSorted = asked.parameters.some((parameter) => parameter.startsWith('sort='));
  if (ordered && (isSorted || technique !== 'cursor') && random.chance(0.15)) narrow(session, asked, oracle);
  const limit = random.integer(1, 9);
  const { parameters, expected } = positioned(session, technique, { ...asked, limit }, oracle);
  const counts = random.chance(0.1);
  const all = [...asked.parameters, ...parameters, ...(counts ? ['include_total=true'] : []), `limit=${limit}`];
  const target = `${collection.path}?${all.join('&')}`;
  const first = await session.send(
    random.chance(0.15)
      ? queryRequest(target)
      : { method: 'GET', target, headers: random.chance(0.1) ? { 'Accept-Encoding': 'gzip' } : {} },
  );
  if (!session.equal(first.status, 200, '[PAGE-4] every technique on every collection')) return;
  const page = member(first.body, 'page');
  session.equal(member(page, 'technique'), technique, '[PAGE-1] technique');
  const total = member(page, 'total_count');
  const counted = counts || technique === 'page' || technique === 'offset';
  session.check(counted === (total !== null), '[PAGE-9] totals by default', technique);
  if (ordered && counted) session.equal(total, oracle.select(asked.query).length, '[PAGE-9] an exact total');
  await follow(session, { ...collection, technique, expected, oracle }, first);
}

const TECHNIQUES = ['cursor', 'cursor', 'page', 'offset', 'keyset', 'seek', 'time'] as const;

/** Adds a time window to a query of another technique, where it is a filter (PAGE-4). */
function narrow({ random }: Session, asked: Asked, oracle: OracleCollection): void {
  const items = [...oracle.items.values()];
  const times = [items.length === 0 ? null : random.pick(items), null].map(readCreation).toSorted();
  const [from = '', to = ''] = times;
  if (from === to) return;
  asked.query.comparisons.push({ path: 'created_at', operator: 'gte', values: [from] });
  asked.query.comparisons.push({ path: 'created_at', operator: 'lt', values: [to] });
  asked.parameters.push(`start_time=${from}`, `before=${to}`);
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
  { resource, path, technique, expected, oracle }: Walk,
  first: Received,
): Promise<void> {
  const ids: string[] = [];
  let page = first;
  let before: readonly string[] | null = null;
  for (let count = 1; ; count += 1) {
    const data = toList(member(page.body, 'data'));
    for (const item of data) checkItem(session, resource, item, oracle);
    ids.push(...idsIn(data));
    if (before !== null && count === 2) await checkPrevious(session, page, before);
    const next = member(member(page.body, 'links'), 'next');
    if (typeof next !== 'string' || count === MOST_PAGES) break;
    before = idsIn(data);
    if (count === 1 && technique === 'cursor') await checkCursorAlone(session, path, page);
    page = await session.send({ method: 'GET', target: next });
    if (!session.equal(page.status, 200, '[PAGE-2] links.next can be followed')) return;
  }
  const isWhole = typeof member(member(page.body, 'links'), 'next') !== 'string';
  const wanted = expected.map(({ id }) => id);
  session.equal(ids, isWhole ? wanted : wanted.slice(0, ids.length), '[PAGE-5] the rows, in order');
}

/** A cursor has its filters and its sort (PAGE-4). */
async function checkCursorAlone(session: Session, path: string, page: Received): Promise<void> {
  const next = await session.send({ method: 'GET', target: toText(member(member(page.body, 'links'), 'next')) });
  const cursor = toText(member(member(page.body, 'page'), 'next_cursor'));
  const alone = await session.send({ method: 'GET', target: `${path}?after=${encodeURIComponent(cursor)}` });
  if (!session.equal(alone.status, 200, '[PAGE-4] a cursor alone')) return;
  const [some, more] = [next, alone].map(({ body }) => idsIn(toList(member(body, 'data'))));
  const shared = Math.min(some?.length ?? 0, more?.length ?? 0);
  session.equal(more?.slice(0, shared), some?.slice(0, shared), '[PAGE-4] a cursor restores filters and sort');
}

async function checkPrevious(session: Session, page: Received, before: readonly string[]): Promise<void> {
  const prev = member(member(page.body, 'links'), 'prev');
  if (!session.check(typeof prev === 'string', '[PAGE-2] the second page has prev')) return;
  const response = await session.send({ method: 'GET', target: toText(prev) });
  session.equal(response.status, 200, '[PAGE-2] links.prev can be followed');
  session.equal(idsIn(toList(member(response.body, 'data'))), before, '[PAGE-2] prev leads to the page before');
}

function checkItem(session: Session, resource: Resource, item: Json, oracle: OracleCollection): void {
  if (!isObject(item)) return;
  session.checkShape(resource, item);
  session.equal(item, oracle.items.get(toText(item['id'])), '[PAGE-1] items are as the last write showed them');
}

function idsIn(data: readonly Json[]): readonly string[] {
  return data.map((item) => toText(member(item, 'id')));
}

function findOracle(session: Session, { path, resource }: Collection): OracleCollection {
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

type Technique = (typeof TECHNIQUES)[number];

/** The parameters of a first page, and the items from it on. */
function positioned(
  { random }: Session,
  technique: Technique,
  { query, limit }: Asked & { readonly limit: number },
  oracle: OracleCollection,
): { readonly parameters: readonly string[]; readonly expected: readonly Item[] } {
  const all = oracle.select(query);
  const some = [...oracle.items.values()];
  const row = some.length === 0 ? null : random.pick(some);
  switch (technique) {
    case 'cursor':
      return { parameters: [], expected: all };
    case 'page': {
      const page = random.integer(1, 4);
      return { parameters: [`page=${page}`], expected: all.slice((page - 1) * limit) };
    }
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
      const created = readCreation(row);
      const position = { created_at: created, id: row?.id ?? '0' };
      const parameters = [`after_timestamp=${created}`, `after_id=${encodeURIComponent(position.id)}`];
      return { parameters, expected: oracle.after(query, position) };
    }
    case 'time': {
      const from = readCreation(row);
      const window = { path: 'created_at', operator: 'gte', values: [from] } as const;
      const expected = oracle.select({ ...query, comparisons: [...query.comparisons, window] });
      return { parameters: [`start_time=${from}`], expected };
    }
  }
}

/** The time of a row, or one before all rows. */
function readCreation(row: Item | null): string {
  const time = row?.['created_at'];
  return typeof time === 'string' ? time : '2026-01-01T00:00:00.000Z';
}
