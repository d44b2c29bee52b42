import { isJsonObject, type Json } from '../../src/conventions/json/json.ts';
import { defineModel, resource, type DefinedModel } from '../../src/index.ts';

/** Values of a row by field. Fields that are absent have their default, or none. */
export type Doc = Readonly<Record<string, Json>>;

/** The values of a field. */
export type FieldShape =
  | { readonly kind: 'word' | 'pair' | 'number' | 'digits' }
  | { readonly kind: 'word'; readonly default: string }
  | { readonly kind: 'state'; readonly values: readonly string[] }
  | { readonly kind: 'object'; readonly members: readonly string[] };

export type Shape = ReadonlyMap<string, FieldShape>;

/**
 * A change as a model declares it, and what it does to a document: written apart from the server, one change at a time.
 */
interface Change {
  readonly declared: Readonly<Record<string, unknown>>;
  readonly down: (newer: Doc) => Doc;
  /** @param current the document of the successor; null for a new row */
  readonly up: (older: Doc, current: Doc | null) => Doc;
  /** The path in the successor of a path of this version; null where it is at no one place. Absent: as it is. */
  readonly path?: (older: string) => string | null;
  readonly shape: (newer: Shape) => Shape;
  readonly isLossless: boolean;
}

/** One version of a chain. */
export interface Version {
  readonly name: string;
  readonly changes: readonly Change[];
  readonly shape: Shape;
  readonly collection: string;
  readonly singular: string;
  readonly hasNotes: boolean;
}

/** The largest number. */
export const MOST = 50;
const WORDS = ['u', 'v', 'w', 'x'];

const NEWEST: Shape = new Map<string, FieldShape>([
  ['a', { kind: 'word' }],
  ['b', { kind: 'word' }],
  ['c', { kind: 'word' }],
  ['d', { kind: 'word', default: 'w' }],
  ['n', { kind: 'number' }],
  ['s', { kind: 'state', values: ['A', 'B', 'C'] }],
  ['o', { kind: 'object', members: ['x', 'y'] }],
  ['p', { kind: 'object', members: ['z'] }],
]);

function without(doc: Doc, ...names: readonly string[]): Doc {
  return Object.fromEntries(Object.entries(doc).filter(([name]) => !names.includes(name)));
}

function objectIn(doc: Doc | null, name: string): Doc | null {
  const value = doc?.[name] ?? null;
  return isJsonObject(value) ? value : null;
}

/** An object without set members is as one that is unset. */
function member(doc: Doc, object: string, name: string, value: Json): Doc {
  const held = objectIn(doc, object);
  return value === null && held === null ? doc : { ...doc, [object]: { ...held, [name]: value } };
}

function edited(shape: Shape, remove: readonly string[], add: readonly (readonly [string, FieldShape])[]): Shape {
  return new Map([...[...shape].filter(([name]) => !remove.includes(name)), ...add]);
}

function moved(doc: Doc, from: string, to: string): Doc {
  return from in doc ? { ...without(doc, from), [to]: doc[from] ?? null } : doc;
}

function words(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Makes a change of one kind; null where the shape has nothing for it. @param fresh a name that no version has */
type MakeChange = (shape: Shape, pick: <T>(of: readonly T[]) => T | undefined, fresh: string) => Change | null;

function listFields(shape: Shape, ...kinds: readonly FieldShape['kind'][]): readonly string[] {
  return [...shape].flatMap(([name, each]) => (kinds.includes(each.kind) && !('default' in each) ? [name] : []));
}

const renamed: MakeChange = (shape, pick, fresh) => {
  const field = pick([...shape.keys()]);
  const own = shape.get(field ?? '');
  if (field === undefined || own === undefined) return null;
  return {
    declared: { rename: { [fresh]: field } },
    down: (doc) => moved(doc, field, fresh),
    up: (doc) => moved(doc, fresh, field),
    path: (path) => path.replace(new RegExp(`^${fresh}(?=\\.|$)`), field),
    shape: (newer) => edited(newer, [field], [[fresh, own]]),
    isLossless: true,
  };
};

const renamedMember: MakeChange = (shape, pick, fresh) => {
  const object = pick(listFields(shape, 'object'));
  const own = shape.get(object ?? '');
  if (object === undefined || own?.kind !== 'object') return null;
  const name = pick(own.members);
  if (name === undefined) return null;
  const swap = (doc: Doc, from: string, to: string): Doc => {
    const held = objectIn(doc, object);
    return held === null ? doc : { ...doc, [object]: moved(held, from, to) };
  };
  const members = own.members.map((each) => (each === name ? fresh : each));
  return {
    declared: { rename: { [`${object}.${fresh}`]: `${object}.${name}` } },
    down: (doc) => swap(doc, name, fresh),
    up: (doc) => swap(doc, fresh, name),
    path: (path) => (path === `${object}.${fresh}` ? `${object}.${name}` : path),
    shape: (newer) => edited(newer, [object], [[object, { kind: 'object', members }]]),
    isLossless: true,
  };
};

const unknown: MakeChange = (shape, pick) => {
  const field = pick(listFields(shape, 'word', 'pair'));
  const own = shape.get(field ?? '');
  if (field === undefined || own === undefined) return null;
  const fill = own.kind === 'pair' ? 'u v' : pick([null, 'v']);
  return {
    declared: { without: [field], ...(fill === null ? {} : { fill: { [field]: fill ?? 'v' } }) },
    down: (doc) => without(doc, field),
    up: (doc, current) => ({ ...doc, [field]: current === null ? (fill ?? null) : (current[field] ?? null) }),
    shape: (newer) => edited(newer, [field], []),
    isLossless: true,
  };
};

const gone: MakeChange = (_shape, _pick, fresh) => ({
  declared: { with: { [fresh]: { schema: { type: 'string' }, out: 'w' } } },
  down: (doc) => ({ ...doc, [fresh]: 'w' }),
  up: (doc) => without(doc, fresh),
  path: (path) => (path === fresh ? null : path),
  shape: (newer) => edited(newer, [], [[fresh, { kind: 'word' }]]),
  isLossless: false,
});

const exchangedValues: MakeChange = (shape, pick, fresh) => {
  const field = pick(listFields(shape, 'state'));
  const own = shape.get(field ?? '');
  if (field === undefined || own?.kind !== 'state') return null;
  const isShared = pick([true, false]) === true;
  const [first = '', ...rest] = own.values;
  const [second = ''] = rest;
  // One-to-one, or two values of this version for one of its successor.
  const pairs: Record<string, string> = isShared
    ? { [`${fresh}_1`]: first, [`${fresh}_2`]: first }
    : { [first]: second, [second]: first };
  const shown = (value: Json): Json => {
    if (isShared) return value === first ? `${fresh}_1` : value;
    return value === first ? second : value === second ? first : value;
  };
  return {
    declared: { values: { [field]: pairs }, ...(isShared ? { default_out: { [field]: `${fresh}_1` } } : {}) },
    down: (doc) => (field in doc ? { ...doc, [field]: shown(doc[field] ?? null) } : doc),
    up: (doc, current) => {
      const value = doc[field] ?? null;
      if (current !== null && shown(current[field] ?? null) === value)
        return { ...doc, [field]: current[field] ?? null };
      return field in doc ? { ...doc, [field]: pairs[words(value)] ?? value } : doc;
    },
    // Fields that sorts and filters name have the values of the successor.
    path: (path) => (path === field ? null : path),
    shape: (newer) => {
      const values = isShared ? [`${fresh}_1`, `${fresh}_2`, ...rest] : own.values;
      return edited(newer, [field], [[field, { kind: 'state', values }]]);
    },
    isLossless: !isShared,
  };
};

const movedIn: MakeChange = (shape, pick, fresh) => {
  const [object, field] = [pick(listFields(shape, 'object')), pick(listFields(shape, 'word'))];
  const own = shape.get(object ?? '');
  if (object === undefined || field === undefined || own?.kind !== 'object') return null;
  const members = [...own.members, fresh];
  return {
    declared: { move: { [`${object}.${fresh}`]: field } },
    down: (doc) => without(member(doc, object, fresh, doc[field] ?? null), field),
    up: (doc) => {
      const held = objectIn(doc, object);
      const rest = held === null ? doc : { ...doc, [object]: without(held, fresh) };
      return { ...rest, [field]: held?.[fresh] ?? null };
    },
    path: (path) => (path === `${object}.${fresh}` ? field : path),
    shape: (newer) => edited(newer, [object, field], [[object, { kind: 'object', members }]]),
    isLossless: true,
  };
};

const movedOut: MakeChange = (shape, pick, fresh) => {
  const object = pick(listFields(shape, 'object'));
  const own = shape.get(object ?? '');
  if (object === undefined || own?.kind !== 'object' || own.members.length < 2) return null;
  const name = pick(own.members) ?? '';
  const members = own.members.filter((each) => each !== name);
  return {
    declared: { move: { [fresh]: `${object}.${name}` } },
    down: (doc) => {
      const held = objectIn(doc, object);
      const rest = held === null ? doc : { ...doc, [object]: without(held, name) };
      return { ...rest, [fresh]: held?.[name] ?? null };
    },
    up: (doc) => without(member(doc, object, name, doc[fresh] ?? null), fresh),
    path: (path) => (path === fresh ? `${object}.${name}` : path),
    shape: (newer) =>
      edited(
        newer,
        [object],
        [
          [object, { kind: 'object', members }],
          [fresh, { kind: 'word' }],
        ],
      ),
    isLossless: true,
  };
};

const typed: MakeChange = (shape, pick, fresh) => {
  const field = pick(listFields(shape, 'number'));
  if (field === undefined) return null;
  const up = (value: Json): Json => (value === null ? null : Number(value));
  const down = (value: Json): Json => (value === null ? null : JSON.stringify(value));
  return {
    declared: { type: { [fresh]: { schema: { type: 'string', pattern: '^[0-9]+$' }, to: field, up, down } } },
    down: (doc) => ({ ...without(doc, field), [fresh]: down(doc[field] ?? null) }),
    up: (doc) => ({ ...without(doc, fresh), [field]: up(doc[fresh] ?? null) }),
    path: (path) => (path === fresh ? null : path),
    shape: (newer) => edited(newer, [field], [[fresh, { kind: 'digits' }]]),
    isLossless: true,
  };
};

function joinedText(one: Json, other: Json, separator: string): Json {
  return one === null && other === null ? null : `${words(one)}${separator}${words(other)}`;
}

function splitText(text: Json, separator: string): readonly [Json, Json] {
  if (text === null) return [null, null];
  const [one = '', other = ''] = words(text).split(separator);
  return [one === '' ? null : one, other === '' ? null : other];
}

const split: MakeChange = (shape, pick, fresh) => {
  const fields = listFields(shape, 'word');
  const one = pick(fields);
  const other = pick(fields.filter((each) => each !== one));
  if (one === undefined || other === undefined) return null;
  const up = (value: Json): Doc => {
    const [first, second] = splitText(value, ' ');
    return { [one]: first, [other]: second };
  };
  const down = (doc: Doc): Json => joinedText(doc[one] ?? null, doc[other] ?? null, ' ');
  return {
    declared: { split: { [fresh]: { schema: { type: 'string' }, into: [one, other], up, down } } },
    down: (doc) => ({ ...without(doc, one, other), [fresh]: down(doc) }),
    up: (doc, current) => {
      const isSame = current !== null && (doc[fresh] ?? null) === down(current);
      return {
        ...without(doc, fresh),
        ...(isSame ? { [one]: current[one] ?? null, [other]: current[other] ?? null } : up(doc[fresh] ?? null)),
      };
    },
    path: (path) => (path === fresh ? null : path),
    shape: (newer) => edited(newer, [one, other], [[fresh, { kind: 'pair' }]]),
    isLossless: true,
  };
};

const joined: MakeChange = (shape, pick, fresh) => {
  const field = pick(listFields(shape, 'word'));
  if (field === undefined) return null;
  const [one, other] = [`${fresh}_1`, `${fresh}_2`];
  // A separator of its own: a part may be joined, too.
  const separator = `<${fresh}>`;
  const up = (doc: Doc): Json => joinedText(doc[one] ?? null, doc[other] ?? null, separator);
  const down = (value: Json): Doc => {
    const [first, second] = splitText(value, separator);
    return { [one]: first, [other]: second };
  };
  const from = { [one]: { type: 'string' }, [other]: { type: 'string' } };
  return {
    declared: { join: { [field]: { from, up, down } } },
    down: (doc) => ({ ...without(doc, field), ...down(doc[field] ?? null) }),
    up: (doc, current) => {
      const before = current?.[field] ?? null;
      const shown = down(before);
      const isSame = current !== null && [one, other].every((name) => (doc[name] ?? null) === shown[name]);
      return { ...without(doc, one, other), [field]: isSame ? before : up(doc) };
    },
    path: (path) => (path === one || path === other ? null : path),
    shape: (newer) =>
      edited(
        newer,
        [field],
        [
          [one, { kind: 'word' }],
          [other, { kind: 'word' }],
        ],
      ),
    isLossless: true,
  };
};

const KINDS: readonly MakeChange[] = [
  renamed,
  renamedMember,
  unknown,
  gone,
  exchangedValues,
  movedIn,
  movedOut,
  typed,
  split,
  joined,
];

/** The number of kinds of changes, with those of the resources. */
export const KIND_COUNT = KINDS.length + 2;

/** Chooses by numbers, so that a property can shrink them. */
export class Chooser {
  readonly #numbers: readonly number[];
  #next = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  below(limit: number): number {
    const number = this.#numbers[this.#next % this.#numbers.length] ?? 0;
    this.#next += 1;
    return number % limit;
  }

  readonly pick = <T>(of: readonly T[]): T | undefined => of[this.below(Math.max(of.length, 1))];
}

/**
 * A chain of versions, newest first; the first is the newest itself, which has no changes.
 *
 * @param kinds of the change of each older version
 */
export function randomChain(kinds: readonly number[], choose: Chooser): readonly Version[] {
  const newest = { name: '9.0.0', changes: [], shape: NEWEST, collection: 'items', singular: 'item', hasNotes: true };
  const versions: Version[] = [newest];
  for (const [index, kind] of kinds.entries()) {
    const last = versions.at(-1) ?? newest;
    const next = olderVersion(last, kind, `f${index}`, choose);
    if (next !== null) versions.push({ ...next, name: `${8 - index}.0.0` });
  }
  return versions;
}

function olderVersion(newer: Version, kind: number, fresh: string, choose: Chooser): Version | null {
  const same: Omit<Change, 'declared'> = {
    down: (doc) => doc,
    up: (doc) => doc,
    shape: (shape) => shape,
    isLossless: true,
  };
  const make = KINDS[kind];
  if (make !== undefined) {
    const change = make(newer.shape, choose.pick, fresh);
    return change === null ? null : { ...newer, changes: [change], shape: change.shape(newer.shape) };
  }
  if (kind === KINDS.length) {
    const names = { collection: `${fresh}_things`, singular: `${fresh}_thing` };
    return { ...newer, ...names, changes: [{ ...same, declared: names }] };
  }
  if (!newer.hasNotes) return null;
  return { ...newer, hasNotes: false, changes: [{ ...same, declared: { resource: 'notes', absent: true } }] };
}

function describeShape(shape: FieldShape): object {
  const text = { type: 'string' };
  if (shape.kind === 'state') return { ...text, enum: shape.values };
  // A version that has it as text knows no maximum.
  if (shape.kind === 'number') return { type: 'integer', maximum: MOST };
  if (shape.kind === 'object')
    return { type: 'object', properties: Object.fromEntries(shape.members.map((name) => [name, text])) };
  return 'default' in shape ? { ...text, default: shape.default } : text;
}

/** The model of a chain. */
export function defineVersions(versions: readonly Version[]): DefinedModel {
  const properties = Object.fromEntries([...NEWEST].map(([name, shape]) => [name, describeShape(shape)]));
  const items = resource({ id: 'client', events: 'full', schema: { type: 'object', properties } });
  const notes = resource({
    id: 'client',
    schema: { type: 'object', properties: { item_id: { type: 'string', 'x-references': 'items' } } },
  });
  const model = defineModel({ name: 'shop', version: '9.0.0', default_version: 9, resources: { items, notes } });
  const older = versions
    .slice(1)
    .map(({ name, changes }) => [
      name,
      { changes: changes.map(({ declared }) => ({ resource: 'items', ...declared })) },
    ]);
  return { ...model, definition: { ...model.definition, versions: Object.fromEntries(older) } };
}

/** A document of a version. */
export function randomDoc(shape: Shape, choose: Chooser): Doc {
  const entries = [...shape].flatMap(([name, each]): readonly (readonly [string, Json])[] => {
    if (choose.below(5) === 0) return [];
    return [[name, randomValue(each, choose)]];
  });
  return Object.fromEntries(entries);
}

/** A value of a field. */
export function randomValue(shape: FieldShape, choose: Chooser): Json {
  if (choose.below(5) === 0) return null;
  switch (shape.kind) {
    case 'word':
      return choose.pick(WORDS) ?? null;
    case 'pair':
      return `${choose.pick(WORDS) ?? ''} ${choose.pick(WORDS) ?? ''}`;
    case 'number':
      return choose.below(30);
    case 'digits':
      return String(choose.below(30));
    case 'state':
      return choose.pick(shape.values) ?? null;
    case 'object':
      return Object.fromEntries(shape.members.map((name) => [name, choose.pick([null, ...WORDS]) ?? null]));
  }
}

/** The documents that a row of the newest version has in each version, newest first. */
export function downThrough(versions: readonly Version[], newest: Doc): readonly Doc[] {
  const docs: Doc[] = [];
  let doc = newest;
  for (const { changes } of versions) {
    doc = changes.reduce((each, change) => change.down(each), doc);
    docs.push(doc);
  }
  return docs;
}

/**
 * The document of the newest version that one of an older version means.
 *
 * @param current of each version; null for a new row
 */
export function upThrough(versions: readonly Version[], older: Doc, current: readonly Doc[] | null): Doc {
  let doc = older;
  for (let at = versions.length - 1; at > 0; at -= 1) {
    const successor = current?.[at - 1] ?? null;
    doc = (versions[at]?.changes ?? []).reduce((each, change) => change.up(each, successor), doc);
  }
  return doc;
}

/** The path in the newest version; null where there is no one place. */
export function newestPath(versions: readonly Version[], older: string): string | null {
  let path: string | null = older;
  for (let at = versions.length - 1; at > 0 && path !== null; at -= 1)
    for (const change of versions[at]?.changes ?? [])
      if (path !== null) path = change.path?.(path) ?? (change.path === undefined ? path : null);
  return path;
}

/**
 * Without members that are null and objects without set members: a version that has their members elsewhere cannot tell
 * them apart.
 */
export function normal(doc: Doc): Doc {
  const entries = Object.entries(doc).flatMap(([name, value]): readonly (readonly [string, Json])[] => {
    const held = objectIn(doc, name);
    if (held === null) return value === null ? [] : [[name, value]];
    const set = Object.entries(held).filter(([, each]) => each !== null);
    return set.length === 0 ? [] : [[name, Object.fromEntries(set)]];
  });
  return Object.fromEntries(entries);
}

/** The model of one version alone, as it was while it was the newest, as JSON. */
export function writeVersion({ name, shape, collection, singular, hasNotes }: Version): string {
  const properties = Object.fromEntries([...shape].map(([field, each]) => [field, describeShape(each)]));
  const items = { id: 'client', events: 'full', singular, schema: { type: 'object', properties } };
  const reference = { type: 'string', 'x-references': collection };
  const notes = { id: 'client', schema: { type: 'object', properties: { item_id: reference } } };
  const resources = { [collection]: items, ...(hasNotes ? { notes } : {}) };
  return JSON.stringify({ name: 'shop', version: name, default_version: Number.parseInt(name), resources });
}
