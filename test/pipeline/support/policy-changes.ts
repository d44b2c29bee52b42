import assert from 'node:assert/strict';
import type { EventEnvelope } from '../../../src/conventions/events/event.ts';
import type { SeededRandom } from '../../../store-suite/seeded-random.ts';
import { isTrue, type ReadPath } from '../../oracle/policies.ts';
import type { RuledCaller, RuledField, Tree } from '../../oracle/ruled-model.ts';
import type { Value } from '../../oracle/values.ts';
import { as } from './caller-tokens.ts';

/** The fields of every row, which policies compare. */
const FIELDS: Readonly<Record<string, RuledField>> = {
  tenant: { kind: 'text' },
  level: { kind: 'number' },
  open: { kind: 'boolean' },
  /** The same in every row: the caller with its value sees all rows. */
  one: { kind: 'text' },
};

/** A reference of a row, as a policy names it. */
interface Reference {
  readonly field: string;
  readonly collection: string;
  /** The effect on the row when the referenced row is deleted. */
  readonly onDelete: 'nullify' | 'cascade';
}

/** The references of each collection. `tasks` are below `projects`, and refer to tasks below the same one. */
const REFERENCES: Readonly<Record<string, Readonly<Record<string, Reference>>>> = {
  teams: {},
  projects: {
    team: { field: 'team_id', collection: 'teams', onDelete: 'cascade' },
    twin: { field: 'twin_id', collection: 'projects', onDelete: 'nullify' },
  },
  tasks: {
    plan: { field: 'plan_id', collection: 'projects', onDelete: 'nullify' },
    next: { field: 'next_id', collection: 'tasks', onDelete: 'nullify' },
  },
};

/** A row, with the ids that its references hold. */
type Row = Readonly<Record<string, Value>>;

/** Rows by their path: `teams/t`, `projects/p/tasks/a`. */
type Rows = ReadonlyMap<string, Row>;

/** The policies of a model, by collection. */
export type Trees = Readonly<Record<string, Tree>>;

/** A change of one row, with all rows before it and after it. */
interface Change {
  readonly place: string;
  readonly before: Rows;
  readonly after: Rows;
}

/** Lists the paths that a policy of a collection can name, up to a number of references. */
function listPaths(collection: string, references: number): readonly string[] {
  const own = ['tenant', 'level', 'open'];
  if (references === 0) return own;
  const related = Object.entries(REFERENCES[collection] ?? {}).flatMap(([name, { collection: target }]) =>
    listPaths(target, references - 1).map((path) => `${name}.${path}`),
  );
  return [...own, ...related];
}

/** A tree of a policy. @param references of its paths: 0 for the fields of the row alone */
function randomTree(random: SeededRandom, collection: string, references: number, depth = 0): Tree {
  const inner = (): readonly Tree[] =>
    Array.from({ length: 1 + random.integer(2) }, () => randomTree(random, collection, references, depth + 1));
  if (depth < 2 && random.oneIn(2))
    return random.pick<() => Tree>([
      () => ({ all: inner() }),
      () => ({ any: inner() }),
      () => ({ not: randomTree(random, collection, references, depth + 1) }),
    ])();
  const path = random.pick(listPaths(collection, references));
  const name = path.slice(path.lastIndexOf('.') + 1);
  return { [path]: random.pick(OPERANDS[name] ?? []) };
}

const OPERANDS: Readonly<Record<string, readonly unknown[]>> = {
  tenant: [
    '$caller.claims.tenant',
    { ne: '$caller.claims.tenant' },
    { exists: false },
    '$caller.subject',
    { starts_with: 'a' },
  ],
  level: [{ gte: '$caller.claims.level' }, { in: '$caller.claims.levels' }, { nin: [1, 2] }],
  open: [true, { ne: true }],
};

const SCOPES = ['events', 'teams', 'projects', 'tasks', 'marks', 'webhooks'].flatMap((name) => [
  `${name}:read`,
  `${name}:write`,
]);
/** Sees every row, and writes. */
const WRITER: RuledCaller = { subject: 'writer', scopes: [...SCOPES, 'events:admin'], claims: { writer: 'x' } };
export const READERS: readonly RuledCaller[] = [
  { subject: 'ann', scopes: SCOPES, claims: { tenant: 'a', level: 1 } },
  { subject: 'bob', scopes: SCOPES, claims: { tenant: 'b', levels: [2, 3] } },
  { subject: 'eve', scopes: SCOPES, claims: { tenant: 7 } },
];

/** The header field of a caller's token. */
export const asCaller = ({ subject, scopes, claims }: RuledCaller): Readonly<Record<string, string>> =>
  as({ subject: subject ?? '', scopes: scopes ?? [], claims: JSON.parse(JSON.stringify(claims)) });

/**
 * The random policies of a model, and its document.
 *
 * @param references of the paths: 0 for the fields of the row alone
 */
export function randomPolicies(
  random: SeededRandom,
  references: number,
): { readonly trees: Trees; readonly isFull: boolean; readonly model: string } {
  const isFull = random.oneIn(2);
  const trees = Object.fromEntries(
    Object.keys(REFERENCES).map((name) => [
      name,
      { any: [{ one: '$caller.claims.writer' }, randomTree(random, name, references)] },
    ]),
  );
  const resource = (name: string): string => {
    const related = Object.entries(REFERENCES[name] ?? {}).map(
      ([relation, { field, collection, onDelete }]) =>
        `${field}: { type: string, x-references: { resource: ${collection}, as: ${relation}, on_delete: ${onDelete} } }`,
    );
    const own = Object.entries(FIELDS).map(([field, { kind }]) => `${field}: { type: ${TYPES[kind]} }`);
    return `  ${name}:
    id: client
    ${name === 'tasks' ? 'parent: projects\n    on_parent_delete: cascade' : ''}
    events: ${isFull ? 'full' : 'thin'}
    access: { read: { scope: '${name}:read' }, write: { scope: '${name}:write' }, rows: { read: ${JSON.stringify(trees[name])} } }
    schema: { type: object, properties: { ${[...own, ...related].join(', ')} } }`;
  };
  const model = `
name: desk
auth:
  issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }]
limits: { rate: false }
resources:
${Object.keys(REFERENCES).map(resource).join('\n')}
  marks: { id: client, schema: { type: object } }
`;
  return { trees, isFull, model };
}

const TYPES = { text: 'string', number: 'integer', boolean: 'boolean' } as const;

/** Sends a request and returns its status and body. */
export type Send = (
  method: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
) => Promise<{ readonly status: number; readonly text: string }>;

/** An operation on a row, and the rows after it. */
interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: Row;
  readonly after: Rows;
}

/**
 * Makes random changes, some of them in atomic batches, and a last one that everyone sees.
 *
 * @returns the operations by unit
 */
export async function makeChanges(
  send: Send,
  random: SeededRandom,
  count: number,
): Promise<readonly (readonly Step[])[]> {
  let rows: Rows = new Map();
  const units: (readonly Step[])[] = [];
  const headers = asCaller(WRITER);
  while (units.length < count) {
    const unit: Step[] = [];
    for (let left = random.oneIn(3) ? 3 : 1; left > 0; left -= 1) {
      const step = randomStep(random, rows);
      if (step === null) continue;
      unit.push(step);
      rows = step.after;
    }
    if (unit.length === 0) continue;
    units.push(unit);
    const operations = unit.map(({ method, path, body }) => ({
      method,
      path: `/${path}`,
      ...(body === undefined ? {} : { body }),
    }));
    const [first] = unit;
    const { status, text } =
      unit.length === 1 && first !== undefined
        ? await send(first.method, `/api/v1/${first.path}`, first.body, headers)
        : await send('POST', '/api/v1/batches', { atomic: true, operations }, headers);
    assert.ok(status < 300 && !text.includes('"failed"'), text);
  }
  const { status, text } = await send('POST', '/api/v1/marks', { id: 'end' }, headers);
  assert.equal(status, 201, text);
  return units;
}

const PLACES = [
  'teams/t',
  'teams/u',
  'projects/p',
  'projects/q',
  ...['p', 'q'].flatMap((id) => [`projects/${id}/tasks/a`, `projects/${id}/tasks/b`]),
];

/** A change of a random row; null where it would change nothing. */
function randomStep(random: SeededRandom, rows: Rows): Step | null {
  const place = random.pick(PLACES);
  const before = rows.get(place);
  const collection = parseCollection(place);
  const above = place.slice(0, -collection.length - 3);
  if (collection === 'tasks' && !rows.has(above)) return null;
  if (before !== undefined && random.oneIn(4)) return { method: 'DELETE', path: place, after: without(rows, place) };
  const values = randomRow(random, rows, place);
  if (before === undefined) {
    const id = place.slice(-1);
    return {
      method: 'POST',
      path: place.slice(0, -2),
      body: { id, ...values },
      after: new Map(rows).set(place, values),
    };
  }
  const names = Object.keys(values).filter((name) => name !== 'one' && random.oneIn(2));
  const body = Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
  const after = { ...before, ...body };
  if (JSON.stringify(before) === JSON.stringify(after)) return null;
  return { method: 'PATCH', path: place, body, after: new Map(rows).set(place, after) };
}

function randomRow(random: SeededRandom, rows: Rows, place: string): Row {
  const references = Object.values(REFERENCES[parseCollection(place)] ?? {}).map((reference) => {
    const targets = [...rows.keys()].filter((key) => key === referredTo(place, reference, key.slice(-1)));
    return [reference.field, random.pick([null, ...targets.map((key) => key.slice(-1))])] as const;
  });
  return {
    tenant: random.pick(['a', 'b', 'ann', null]),
    level: random.pick([0, 1, 2, 3, null]),
    open: random.pick([true, false, null]),
    one: 'x',
    ...Object.fromEntries(references),
  };
}

function parseCollection(place: string): string {
  return place.split('/').at(-2) ?? '';
}

/** The path of the row that a reference leads to. */
function referredTo(place: string, { collection }: Reference, id: string): string {
  return collection === 'tasks' ? `${place.slice(0, -1)}${id}` : `${collection}/${id}`;
}

/** The rows after one is deleted, with those that are deleted with it. */
function without(rows: Rows, place: string): Rows {
  const left = new Map(rows);
  left.delete(place);
  for (const [key, row] of rows) {
    if (!left.has(key)) continue;
    for (const reference of Object.values(REFERENCES[parseCollection(key)] ?? {})) {
      const id = row[reference.field];
      if (typeof id !== 'string' || referredTo(key, reference, id) !== place) continue;
      if (reference.onDelete === 'nullify') left.set(key, { ...left.get(key), [reference.field]: null });
    }
  }
  const next = [...left].find(([key, row]) => leadsNowhere(left, key, row));
  return next === undefined ? left : without(left, next[0]);
}

/** True if a row must be deleted too, because its parent or a row that it refers to was deleted. */
function leadsNowhere(rows: Rows, key: string, row: Row): boolean {
  const parent = parseCollection(key) === 'tasks' ? key.split('/').slice(0, 2).join('/') : null;
  if (parent !== null && !rows.has(parent)) return true;
  return Object.values(REFERENCES[parseCollection(key)] ?? {}).some((reference) => {
    const id = row[reference.field];
    return reference.onDelete === 'cascade' && typeof id === 'string' && !rows.has(referredTo(key, reference, id));
  });
}

/**
 * Collects the changes of rows that operations made, in the order of their events. Rows that are deleted one after
 * another are seen as the rows were before the first of them.
 *
 * @param events all of them, without the last
 */
export function collectChanges(
  units: readonly (readonly Step[])[],
  events: readonly EventEnvelope[],
): readonly Change[] {
  let rows: Rows = new Map();
  const changes: Change[] = [];
  for (const unit of units) {
    let undeleted: Rows | null = null;
    for (const { after } of unit) {
      const changed = [...new Set([...rows.keys(), ...after.keys()])].filter(
        (key) => JSON.stringify(rows.get(key)) !== JSON.stringify(after.get(key)),
      );
      const places = events.slice(changes.length, changes.length + changed.length).map(formatPlace);
      assert.deepEqual(places.toSorted(), changed.toSorted());
      for (const place of places) {
        const next = new Map(rows);
        const row = after.get(place);
        if (row === undefined) next.delete(place);
        else next.set(place, row);
        undeleted = row === undefined ? (undeleted ?? rows) : null;
        changes.push({ place, before: undeleted ?? rows, after: next });
        rows = next;
      }
    }
  }
  assert.equal(changes.length, events.length);
  return changes;
}

/** Formats the path of the row of an event. */
function formatPlace({ payload: { resource, parents } }: EventEnvelope): string {
  return [...parents.toReversed(), resource].map(({ type, id }) => `${type}s/${id}`).join('/');
}

/** True if a row exists, and the policies of its collection and of its parent show it to a caller. */
function isSeen(rows: Rows, place: string, caller: RuledCaller, trees: Trees): boolean {
  const row = rows.get(place);
  if (row === undefined) return false;
  const isOwn = isTrue(trees[parseCollection(place)] ?? true, caller, (path) => valueAt(rows, place, row, path));
  return (
    isOwn && (parseCollection(place) !== 'tasks' || isSeen(rows, place.slice(0, -'/tasks/x'.length), caller, trees))
  );
}

/** The value at a path; unset where a reference leads to nothing. */
function valueAt(rows: Rows, place: string, row: Row | undefined, path: string): ReturnType<ReadPath> {
  const dot = path.indexOf('.');
  if (dot === -1) return { value: row?.[path] ?? null, field: FIELDS[path] ?? assert.fail(path) };
  const reference = REFERENCES[parseCollection(place)]?.[path.slice(0, dot)] ?? assert.fail(path);
  const target = referredTo(place, reference, String(row?.[reference.field]));
  return valueAt(rows, target, row === undefined ? undefined : rows.get(target), path.slice(dot + 1));
}

/**
 * Lists the events of changes that a reader should receive: number, path, and `row`, or `left` for a row that became
 * hidden.
 */
export function listExpected(changes: readonly Change[], reader: RuledCaller, trees: Trees): readonly string[] {
  return changes.flatMap(({ place, before, after }, index) => {
    const isDeleted = !after.has(place);
    if (isSeen(isDeleted ? before : after, place, reader, trees)) return [`${index + 1} ${place} row`];
    return !isDeleted && isSeen(before, place, reader, trees) ? [`${index + 1} ${place} left`] : [];
  });
}

/**
 * Lists the events that a reader received, in the form of `listExpected`. A thin event never has data, so a row that
 * became hidden looks like any other.
 */
export function listReceived(events: readonly EventEnvelope[], isFull: boolean): readonly string[] {
  return events.map((event) => {
    const sight = isFull && event.payload.data === undefined ? 'left' : 'row';
    return `${Number(event.metadata.sequence)} ${formatPlace(event)} ${sight}`;
  });
}

/** All events, as one who sees everything reads them. */
export function asWriter(): Readonly<Record<string, string>> {
  return asCaller(WRITER);
}
