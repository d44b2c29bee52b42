import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isJsonObject, type Json } from '../../src/conventions/json/json.ts';
import { defineModel, resource } from '../../src/index.ts';
import { runs } from '../extent.ts';
import { apiUnderTest } from '../pipeline/support/api-under-test.ts';

type Doc = Readonly<Record<string, Json>>;

const string = { type: 'string' } as const;
const integer = { type: 'integer' } as const;
const map = <T>(value: T) => ({ type: 'object', additionalProperties: value }) as const;
const words = map({ type: ['string', 'null'] } as const);

const products = resource({
  id: 'client',
  schema: {
    type: 'object',
    properties: {
      name: string,
      rank: integer,
      kind: { type: 'string', enum: ['TOOL', 'PART', 'SPARE'] },
      labels: words,
      deep: map(map({ type: ['integer', 'null'] } as const)),
      list: { type: 'array', items: words },
      boxes: { type: 'array', items: { type: 'object', properties: { a: string, marks: words } } },
      place: {
        type: 'object',
        properties: {
          city: string,
          zip: string,
          tags: { type: 'array', items: string },
          marks: words,
          geo: { type: 'object', properties: { lat: integer, lng: integer } },
        },
      },
    },
  },
});

const model = defineModel({
  name: 'shop',
  version: '4.0.0',
  default_version: 4,
  resources: { products },
  versions: {
    '3.0.0': {
      changes: [
        { resource: 'products', rename: { notes: 'labels' }, values: { kind: { tool: 'TOOL' } } },
        { resource: 'products', move: { city: 'place.city', tags: 'place.tags' } },
      ],
    },
    '2.0.0': {
      changes: [
        { resource: 'products', rename: { nested: 'deep' }, move: { marks: 'place.marks' } },
        {
          resource: 'products',
          type: {
            grade: {
              schema: { type: 'string', pattern: '^[0-9]+$' },
              to: 'rank',
              up: (grade) => (grade === null ? null : Number(grade)),
              down: (rank) => (rank === null ? null : JSON.stringify(rank)),
            },
          },
        },
      ],
    },
    '1.0.0': {
      changes: [
        { resource: 'products', move: { 'spot.geo': 'place.geo', 'spot.marks': 'marks' }, without: ['boxes'] },
        { resource: 'products', with: { old: { schema: { type: 'string' }, out: 'x' } } },
      ],
    },
  },
});

const word = fc.constantFrom('x', 'y', 'z');
const unset = <T extends Json>(values: fc.Arbitrary<T>): fc.Arbitrary<Json> => fc.option(values);
// Keys that objects of JavaScript have, too.
const keys = fc.constantFrom('a', 'b', 'toString', 'valueOf');
const entries = <T extends Json>(values: fc.Arbitrary<T>): fc.Arbitrary<Doc> =>
  fc.array(fc.tuple(keys, values), { maxLength: 3 }).map((each): Doc => Object.fromEntries(each));
const wordMap = entries(unset(word));
const tags = fc.array(word, { maxLength: 2 });
const geo = fc.record({ lat: unset(fc.nat(3)), lng: unset(fc.nat(3)) }, { noNullPrototype: true });

/** Values of each field, and of each member of an object, by their names in any version. */
const VALUES: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  name: unset(word),
  city: unset(word),
  zip: unset(word),
  old: fc.constant('x'),
  rank: unset(fc.nat(9)),
  grade: unset(fc.constantFrom('1', '22')),
  labels: unset(wordMap),
  notes: unset(wordMap),
  marks: unset(wordMap),
  deep: unset(entries(entries(unset(fc.nat(3))))),
  nested: unset(entries(entries(unset(fc.nat(3))))),
  list: fc.array(wordMap, { maxLength: 2 }),
  boxes: fc.array(fc.record({ a: unset(word), marks: unset(wordMap) }, { noNullPrototype: true }), { maxLength: 2 }),
  tags,
  geo: unset(geo),
};
const PLACES: Readonly<Record<number, readonly string[]>> = {
  4: ['city', 'zip', 'tags', 'marks', 'geo'],
  3: ['zip', 'marks', 'geo'],
  2: ['zip', 'geo'],
  1: ['zip'],
};
const COMMON = ['name', 'list', 'place'];
const FIELDS: Readonly<Record<number, readonly string[]>> = {
  4: [...COMMON, 'kind', 'rank', 'labels', 'deep', 'boxes'],
  3: [...COMMON, 'kind', 'rank', 'notes', 'deep', 'boxes', 'city', 'tags'],
  2: [...COMMON, 'kind', 'grade', 'notes', 'nested', 'boxes', 'city', 'tags', 'marks'],
  1: [...COMMON, 'kind', 'grade', 'notes', 'nested', 'city', 'tags', 'spot', 'old'],
};
const MEMBERS = (level: number): Readonly<Record<string, readonly string[]>> => ({
  place: PLACES[level] ?? [],
  spot: ['geo', 'marks'],
  geo: ['lat', 'lng'],
});

function valuesAt(level: number, name: string): fc.Arbitrary<Json> {
  if (name === 'kind') return unset(fc.constantFrom(level === 4 ? 'TOOL' : 'tool', 'PART', 'SPARE'));
  const members = name === 'place' || name === 'spot' ? MEMBERS(level)[name] : undefined;
  if (members === undefined) return VALUES[name] ?? fc.constant(null);
  return unset(recordAt(level, members));
}

function recordAt(level: number, names: readonly string[]): fc.Arbitrary<Doc> {
  return fc.record(Object.fromEntries(names.map((name) => [name, valuesAt(level, name)])), { noNullPrototype: true });
}

/** Merges a patch, after RFC 7396. Written apart from the server. */
function merged(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const members = new Map(isJsonObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, merged(members.get(name), value));
  }
  return Object.fromEntries(members);
}

interface Operation {
  readonly op: 'add' | 'remove';
  readonly path: string;
  readonly value?: Json;
}

/** Applies one operation to the member of an object at any depth. */
function edited(target: Json, [step = '', ...rest]: readonly string[], operation: Operation): Json {
  if (Array.isArray(target)) {
    return target.map((item: Json, index) => (String(index) === step ? edited(item, rest, operation) : item));
  }
  const members = new Map(isJsonObject(target) ? Object.entries(target) : []);
  if (rest.length > 0) members.set(step, edited(members.get(step) ?? null, rest, operation));
  else if (operation.op === 'remove') members.delete(step);
  else members.set(step, operation.value ?? null);
  return Object.fromEntries(members);
}

/** A document with every declared member. An object of which the versions move members is unset with all of them. */
function normal(level: number, doc: Json): Json {
  const value = isJsonObject(doc) ? doc : {};
  return Object.fromEntries(
    (FIELDS[level] ?? []).map((name): [string, Json] => {
      const field = complete(level, name, value[name] ?? null);
      const isEmpty = isJsonObject(field) && Object.values(field).every((each) => each === null || same(each, []));
      return [name, (name === 'place' || name === 'spot') && isEmpty ? null : field];
    }),
  );
}

function complete(level: number, name: string, value: Json): Json {
  if (['list', 'boxes', 'tags'].includes(name) && value === null) return [];
  if (name === 'old') return 'x';
  const members = MEMBERS(level)[name];
  if (members === undefined || !isJsonObject(value)) return value;
  return Object.fromEntries(members.map((member) => [member, complete(level, member, value[member] ?? null)]));
}

function same(one: Json, other: Json): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Every place of a document, and of its maps, at which a JSON Patch can add or remove a member. */
function pointersIn(value: Json, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: Json, index) => pointersIn(item, `${path}/${index}`));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, held]) => [`${path}/${name}`, ...pointersIn(held, `${path}/${name}`)]);
}

type Write = (before: Doc) => { readonly body: Json; readonly kind: string; readonly after: Json };

const level = fc.constantFrom(1, 2, 3, 4);

function writesAt(at: number): fc.Arbitrary<Write> {
  const doc = recordAt(at, FIELDS[at] ?? []);
  const names = fc.subarray([...(FIELDS[at] ?? [])], { minLength: 1 });
  const part = fc
    .tuple(doc, names)
    .map(([all, some]) => Object.fromEntries(some.map((name) => [name, all[name] ?? null])));
  const put = fc.oneof(doc, part).map(
    (body): Write =>
      () => ({ body, kind: 'PUT', after: body }),
  );
  const merge = fc.oneof(part, part.chain(withHoles)).map(
    (body): Write =>
      (before) => ({ body, kind: 'merge-patch', after: merged(before, body) }),
  );
  const patch = fc.tuple(fc.nat(99), fc.boolean(), unset(word), keys).map(
    ([index, removes, value, key]): Write =>
      (before) => {
        const operation = operationIn(before, { index, removes, value, key });
        const body = operation === null ? [] : [{ ...operation }];
        const after = operation === null ? before : edited(before, operation.path.split('/').slice(1), operation);
        return { body, kind: 'json-patch', after };
      },
  );
  return fc.oneof(put, merge, patch);
}

/** Replaces some values of a patch by null, so that it removes entries of maps. */
function withHoles(patch: Doc): fc.Arbitrary<Doc> {
  return fc.infiniteStream(fc.boolean()).map((flips) => {
    const holed = (value: Json): Json => {
      if (flips.next().value === true && !Array.isArray(value)) return null;
      if (!isJsonObject(value)) return value;
      return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, holed(held)]));
    };
    return Object.fromEntries(
      Object.entries(patch).map(([name, value]) => [name, isJsonObject(value) ? holed(value) : value]),
    );
  });
}

interface Choice {
  readonly index: number;
  readonly removes: boolean;
  readonly value: Json;
  readonly key: string;
}

/** An operation on an entry of a map of words, wherever the document has one; null where it has none. */
function operationIn(before: Doc, { index, removes, value, key }: Choice): Operation | null {
  const MAPS = /\/(?:labels|notes|marks|list\/\d+)$/;
  const maps = [...pointersIn(before), ...['list'].flatMap((name) => pointersIn(before[name] ?? null, `/${name}`))]
    .map((path) => path.replace(/\/(?:a|b|toString|valueOf)$/, ''))
    .filter((path) => MAPS.test(path) && isJsonObject(valueAt(before, path)));
  const at = maps[index % Math.max(maps.length, 1)];
  if (at === undefined) return null;
  const held = Object.keys(valueAt(before, at) ?? {});
  if (!removes) return { op: 'add', path: `${at}/${key}`, value };
  const removed = held[index % Math.max(held.length, 1)];
  return removed === undefined ? null : { op: 'remove', path: `${at}/${removed}` };
}

function valueAt(doc: Json, path: string): Json {
  return path
    .split('/')
    .slice(1)
    .reduce<Json>((value, step) => {
      if (Array.isArray(value)) return value[Number(step)] ?? null;
      return isJsonObject(value) && Object.hasOwn(value, step) ? (value[step] ?? null) : null;
    }, doc);
}

const TYPES: Readonly<Record<string, string>> = {
  PUT: 'application/json',
  'merge-patch': 'application/merge-patch+json',
  'json-patch': 'application/json-patch+json',
};

type Api = Awaited<ReturnType<typeof apiUnderTest>>;

async function read(api: Api, at: number): Promise<Doc & { readonly revision: number }> {
  const { status, text, body } = await api.send({ send: `GET /api/v${at}/products/p` });
  assert.equal(status, 200, text);
  return body;
}

const steps = fc.array(
  level.chain((at) => writesAt(at).map((write) => ({ at, write }))),
  { minLength: 1, maxLength: 5 },
);
const creation = level.chain((at) => recordAt(at, FIELDS[at] ?? []).map((doc) => ({ at, doc })));

describe('a change through an older contract', () => {
  it('[VER-5a] [VER-5b] [REP-4] [MET-2] [MET-3] is what it is to the document that the contract shows', async () => {
    await using api = await apiUnderTest(model);
    const law = fc.asyncProperty(creation, steps, async ({ at: first, doc }, changes) => {
      await api.send({ send: 'DELETE /api/v4/products/p' });
      const made = await api.send({ send: `POST /api/v${first}/products`, body: { id: 'p', ...doc } });
      assert.equal(made.status, 201, made.text);
      assert.deepEqual(normal(first, await read(api, first)), normal(first, doc));
      for (const { at, write } of changes) {
        const before = await read(api, at);
        const { body, kind, after } = write(before);
        const method = kind === 'PUT' ? 'PUT' : 'PATCH';
        const request = {
          send: `${method} /api/v${at}/products/p`,
          headers: { 'Content-Type': TYPES[kind] ?? '' },
          body: JSON.stringify(body),
        };
        const { status, text } = await api.send(request);
        assert.equal(status, 200, `${text} ${JSON.stringify(body)}`);
        const seen = await read(api, at);
        assert.deepEqual(normal(at, seen), normal(at, after), `${method} v${at} ${JSON.stringify(body)}`);
        if (kind === 'json-patch') continue;
        await api.send(request);
        assert.deepEqual(await read(api, at), seen, `repeated ${method} v${at} ${JSON.stringify(body)}`);
      }
    });
    await fc.assert(law, { numRuns: runs(60, 1_500) });
  });
});
