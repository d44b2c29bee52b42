import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../src/conventions/json/json.ts';
import { loadModel } from '../../src/model/compile/load-model.ts';
import type { Resource, VersionChange } from '../../src/model/model.ts';
import type { FieldValues, Row } from '../../src/plan/plan.ts';
import { type Fill, ResourceMapping } from '../../src/versions/resource-mapping.ts';
import { type FieldSources, olderSources, storedSources } from '../../src/versions/sources.ts';
import { runs } from '../extent.ts';

/** The fields of a resource: texts, and objects of texts. */
type Shape = Readonly<Record<string, 'text' | readonly string[]>>;

const resource = 'things';
const SHAPE: Shape = { a: 'text', b: 'text', c: 'text', d: 'text', o: ['x', 'y'], p: ['z'] };

function compileShape(shape: Shape): Resource {
  const string = { type: 'string' };
  const properties = Object.fromEntries(
    Object.entries(shape).map(([name, kind]) => [
      name,
      kind === 'text'
        ? string
        : { type: 'object', properties: Object.fromEntries(kind.map((member) => [member, string])) },
    ]),
  );
  const document = { name: 'm', resources: { things: { schema: { type: 'object', properties } } } };
  const found = loadModel({ text: JSON.stringify(document), file: 'm.json' }).model.resources.get('things');
  return found ?? assert.fail();
}

interface Version {
  readonly shape: Shape;
  readonly changes: readonly VersionChange[];
  /** True if nothing is lost between it and its successor. */
  readonly isLossless: boolean;
}

function chainMapping(versions: readonly Version[], fills: readonly Fill[] = []): ResourceMapping {
  let sources: FieldSources = storedSources(Object.keys(SHAPE));
  for (const { changes } of versions) sources = olderSources(sources, changes);
  const older = compileShape(versions.at(-1)?.shape ?? SHAPE);
  return new ResourceMapping({ older, stored: compileShape(SHAPE), sources, fills, resources: new Map() });
}

function makeRow(values: FieldValues): Row {
  const at = '2026-01-02T03:04:05.678Z';
  return { ...values, id: 'r', created_at: at, updated_at: at, revision: 7 };
}

function dropAssigned({ id: _id, created_at: _at, updated_at: _on, revision: _revision, ...values }: Row): FieldValues {
  return values;
}

const rename = (from: string, to: string): VersionChange => ({ kind: 'rename', resource, from, to });
const move = (from: string, to: string): VersionChange => ({ kind: 'move', resource, from, to });

const STORED: FieldValues = { a: 'A', b: 'B', c: 'C', d: null, o: { x: 'X', y: 'Y' }, p: null };

interface MappingCase {
  readonly title: string;
  readonly changes: readonly VersionChange[];
  readonly shape: Shape;
  /** The stored row as the older contract has it, where it differs. */
  readonly down: FieldValues;
  /** The writes of the older contract, and the changes to the stored row. */
  readonly writes: FieldValues;
  readonly stores: FieldValues;
}

const CASES: readonly MappingCase[] = [
  {
    title: 'another name',
    changes: [rename('title', 'a')],
    shape: { title: 'text', b: 'text', c: 'text', d: 'text', o: ['x', 'y'], p: ['z'] },
    down: { title: 'A', b: 'B', c: 'C', d: null, o: { x: 'X', y: 'Y' }, p: null },
    writes: { title: 'new' },
    stores: { a: 'new' },
  },
  {
    title: 'two names that are exchanged',
    changes: [rename('a', 'b'), rename('b', 'a')],
    shape: SHAPE,
    down: { ...STORED, a: 'B', b: 'A' },
    writes: { a: 'new' },
    stores: { b: 'new' },
  },
  {
    title: 'a member of another name',
    changes: [rename('o.first', 'o.x')],
    shape: { ...SHAPE, o: ['first', 'y'] },
    down: { ...STORED, o: { y: 'Y', first: 'X' } },
    writes: { o: { first: 'new', y: 'Y' } },
    stores: { o: { x: 'new', y: 'Y' } },
  },
  {
    title: 'an object of another name whose members have other names',
    changes: [rename('q', 'o'), rename('q.first', 'o.x'), rename('q.second', 'o.y')],
    shape: { a: 'text', b: 'text', c: 'text', d: 'text', p: ['z'], q: ['first', 'second'] },
    down: { a: 'A', b: 'B', c: 'C', d: null, p: null, q: { first: 'X', second: 'Y' } },
    writes: { q: null },
    stores: { o: null },
  },
  {
    title: 'an object of another name that lacks a member',
    changes: [rename('q', 'o'), rename('q.first', 'o.x'), move('y', 'o.y')],
    shape: { a: 'text', b: 'text', c: 'text', d: 'text', p: ['z'], q: ['first'], y: 'text' },
    down: { a: 'A', b: 'B', c: 'C', d: null, p: null, q: { first: 'X' }, y: 'Y' },
    writes: { q: null },
    stores: { o: { x: null, y: 'Y' } },
  },
  {
    title: 'a field in an object',
    changes: [move('o.a', 'a')],
    shape: { b: 'text', c: 'text', d: 'text', o: ['x', 'y', 'a'], p: ['z'] },
    down: { b: 'B', c: 'C', d: null, o: { x: 'X', y: 'Y', a: 'A' }, p: null },
    writes: { o: { x: 'X', y: 'Y', a: 'new' } },
    stores: { a: 'new' },
  },
  {
    title: 'a member outside of its object',
    changes: [move('x', 'o.x')],
    shape: { ...SHAPE, o: ['y'], x: 'text' },
    down: { ...STORED, o: { y: 'Y' }, x: 'X' },
    writes: { o: null, x: 'new' },
    stores: { o: { x: 'new', y: null } },
  },
  {
    title: 'a member of an unset object',
    changes: [move('z', 'p.z')],
    shape: { ...SHAPE, p: [], z: 'text' },
    down: { ...STORED, p: null, z: null },
    writes: { z: 'new' },
    stores: { p: { z: 'new' } },
  },
  {
    title: 'an unknown field',
    changes: [{ kind: 'without', resource, field: 'c' }],
    shape: { a: 'text', b: 'text', d: 'text', o: ['x', 'y'], p: ['z'] },
    down: { a: 'A', b: 'B', d: null, o: { x: 'X', y: 'Y' }, p: null },
    writes: { a: 'new' },
    stores: { a: 'new' },
  },
  {
    title: 'a field that is gone',
    changes: [{ kind: 'with', resource, field: 'old', out: 'none' }],
    shape: { ...SHAPE, old: 'text' },
    down: { ...STORED, old: 'none' },
    writes: { old: 'x', a: 'new' },
    stores: { a: 'new' },
  },
  {
    title: 'other values',
    changes: [
      {
        kind: 'values',
        resource,
        field: 'a',
        up: new Map([['"a"', 'A']]),
        down: new Map([['"A"', 'a']]),
        isOneToOne: true,
      },
    ],
    shape: SHAPE,
    down: { ...STORED, a: 'a' },
    writes: { a: 'Z', b: 'new' },
    stores: { a: 'Z', b: 'new' },
  },
  {
    title: 'two fields for one',
    changes: [
      {
        kind: 'convert',
        resource,
        from: ['first', 'last'],
        to: ['a'],
        up: ({ first, last }) => ({ a: `${text(first)} ${text(last)}`.trim() }),
        down: ({ a }) => ({ first: text(a).split(' ')[0] ?? '', last: text(a).split(' ')[1] ?? '' }),
      },
    ],
    shape: { b: 'text', c: 'text', d: 'text', o: ['x', 'y'], p: ['z'], first: 'text', last: 'text' },
    down: { b: 'B', c: 'C', d: null, o: { x: 'X', y: 'Y' }, p: null, first: 'A', last: '' },
    writes: { last: 'B' },
    stores: { a: 'A B' },
  },
];

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function findShape(title: string): Shape {
  return CASES.find((each) => each.title === title)?.shape ?? assert.fail();
}

describe('a resource of an older contract', () => {
  for (const { title, changes, shape, down, writes, stores } of CASES) {
    it(`[VER-5a] has ${title}`, () => {
      const mapping = chainMapping([{ shape, changes, isLossless: true }]);
      assert.deepEqual(dropAssigned(mapping.down(makeRow(STORED))), down);
    });

    it(`[VER-5b] writes ${title}, and keeps the rest`, () => {
      const mapping = chainMapping([{ shape, changes, isLossless: true }]);
      const current = makeRow(STORED);
      assert.deepEqual(mapping.up({ ...dropAssigned(mapping.down(current)), ...writes }, current), {
        ...STORED,
        ...stores,
      });
    });
  }

  it('[VER-5b] fills what it cannot send in a row that it creates', () => {
    const changes: readonly VersionChange[] = [{ kind: 'without', resource, field: 'c' }];
    const mapping = chainMapping(
      [{ shape: findShape('an unknown field'), changes, isLossless: false }],
      [{ source: { kind: 'field', name: 'c' }, value: 'filled' }],
    );
    assert.deepEqual(mapping.up({ a: 'A', b: null }, null), { a: 'A', b: null, c: 'filled' });
  });

  it('[VER-5a] finds where properties are stored, and the names of what is wrong', () => {
    const mapping = chainMapping([
      { shape: SHAPE, changes: [rename('title', 'a'), move('x', 'o.x')], isLossless: true },
      { shape: { ...SHAPE, name: 'text' }, changes: [rename('name', 'title')], isLossless: true },
    ]);
    assert.deepEqual(mapping.property('name'), { path: 'a', values: null });
    assert.deepEqual(mapping.property('x'), { path: 'o.x', values: null });
    assert.deepEqual(mapping.property('o.y'), { path: 'o.y', values: null });
    assert.equal(mapping.property('title'), null);
    assert.deepEqual(mapping.property('created_at'), { path: 'created_at', values: null });
    assert.equal(mapping.nameOf('a'), 'name');
    assert.equal(mapping.nameOf('o.x'), 'x');
    assert.equal(mapping.nameOf('o.y[2]'), 'o.y[2]');
    assert.equal(mapping.nameOf('body'), 'body');
  });
});

/** A chain of versions, each of which renames, exchanges, moves, maps or joins fields of its successor. */
const chains = fc.array(fc.tuple(fc.nat(6), fc.nat(9), fc.nat(9)), { minLength: 1, maxLength: 5 }).map((steps) => {
  const versions: Version[] = [];
  let shape: Shape = SHAPE;
  for (const [index, [kind, one, other]] of steps.entries()) {
    const next = makeStep(shape, { kind, one, other, name: `n${index}` });
    if (next === null) continue;
    versions.push(next);
    ({ shape } = next);
  }
  return versions;
});

interface Step {
  readonly kind: number;
  readonly one: number;
  readonly other: number;
  /** The name of a new field. */
  readonly name: string;
}

function makeStep(shape: Shape, { kind, one, other, name }: Step): Version | null {
  const texts = Object.keys(shape).filter((each) => shape[each] === 'text');
  const objects = Object.keys(shape).filter((each) => shape[each] !== 'text');
  const [field = '', second = ''] = [texts[one % texts.length], texts[other % texts.length]];
  const object = objects[one % objects.length] ?? '';
  const members = shape[object] ?? [];
  const without = (...names: readonly string[]): Shape =>
    Object.fromEntries(Object.entries(shape).filter(([each]) => !names.includes(each)));
  const lossless = (changes: readonly VersionChange[], to: Shape): Version => ({
    shape: to,
    changes,
    isLossless: true,
  });
  switch (kind) {
    case 0:
      return lossless([rename(name, field)], { ...without(field), [name]: 'text' });
    case 1:
      return field === second ? null : lossless([rename(field, second), rename(second, field)], shape);
    case 2:
      if (members === 'text' || texts.length < 3) return null;
      return lossless([move(`${object}.${name}`, field)], { ...without(field), [object]: [...members, name] });
    case 3: {
      const member = members === 'text' ? undefined : members[other % members.length];
      if (member === undefined || members === 'text') return null;
      const rest = members.filter((each) => each !== member);
      return lossless([move(name, `${object}.${member}`)], { ...shape, [object]: rest, [name]: 'text' });
    }
    case 4: {
      const swapped = new Map<string, Json>([
        ['"u"', 'v'],
        ['"v"', 'u'],
      ]);
      return lossless([{ kind: 'values', resource, field, up: swapped, down: swapped, isOneToOne: true }], shape);
    }
    case 5: {
      if (members === 'text') return null;
      const inner = members.map((member) => rename(`${name}.${name}_${member}`, `${object}.${member}`));
      const to = { ...without(object), [name]: members.map((member) => `${name}_${member}`) };
      return lossless([rename(name, object), ...inner], to);
    }
    default: {
      const reversed = (value: Json | undefined): Json =>
        typeof value === 'string' ? value.split('').reverse().join('') : null;
      const up = (values: JsonObject): JsonObject => ({ [field]: reversed(values[name]) });
      const down = (values: JsonObject): JsonObject => ({ [name]: reversed(values[field]) });
      const change: VersionChange = { kind: 'convert', resource, from: [name], to: [field], up, down };
      return lossless([change], { ...without(field), [name]: 'text' });
    }
  }
}

const word = fc.option(fc.constantFrom('u', 'v', 'uv', 'x'));
const plain = { noNullPrototype: true };
const o = fc.option(fc.record({ x: word, y: word }, plain));
const p = fc.option(fc.record({ z: word }, plain));
const stored = fc.record({ a: word, b: word, c: word, d: word, o, p }, plain);

describe('chains of changes that lose nothing', () => {
  it('[VER-5a] [VER-5b] change no stored value where nothing is changed', () => {
    const law = fc.property(chains, stored, (versions, values) => {
      const mapping = chainMapping(versions);
      const row = makeRow(values);
      assert.deepEqual(mapping.up(dropAssigned(mapping.down(row)), row), values);
    });
    fc.assert(law, { numRuns: runs(80, 1_000) });
  });

  it('[VER-5a] [VER-5b] give back what was written through the older contract', () => {
    const law = fc.property(chains, stored, stored, (versions, values, others) => {
      const mapping = chainMapping(versions);
      const current = makeRow(values);
      const wanted = mapping.down(makeRow(others));
      const after = makeRow(mapping.up(dropAssigned(wanted), current));
      assert.deepEqual(normal(dropAssigned(mapping.down(after))), normal(dropAssigned(wanted)));
      const created = makeRow(mapping.up(dropAssigned(wanted), null));
      assert.deepEqual(normal(dropAssigned(mapping.down(created))), normal(dropAssigned(wanted)));
    });
    fc.assert(law, { numRuns: runs(80, 1_000) });
  });
});

/**
 * An unset member is as one that is null, and an object without set members as an unset one. Where its members are
 * stored elsewhere, no value tells them apart.
 */
function normal(values: FieldValues): Json {
  const entries = Object.entries(values).map(([name, value]): readonly [string, Json] => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [name, value];
    const set = Object.entries(value).filter(([, member]) => member !== null);
    return [name, set.length === 0 ? null : Object.fromEntries(set)];
  });
  return Object.fromEntries(entries);
}
