import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Type } from 'typebox';
import type { VersionChange } from '../../../src/model/model.ts';
import { formatProblem, ModelError } from '../../../src/model/document/model-error.ts';
import { loadDefinition } from '../../../src/model/compile/load-model.ts';
import { type DefinedModel, defineModel, resource } from '../../../src/model/typescript/define-model.ts';

const people = resource({
  schema: Type.Object({
    first: Type.String(),
    last: Type.String(),
    cents: Type.Integer(),
    address: Type.Optional(Type.String()),
  }),
  sort: 'last,cents',
  indexes: ['last', 'cents'],
});

const EURO = Type.Number({ minimum: 0 });

const defined = defineModel({
  name: 'shop',
  version: '2.0.0',
  default_version: 1,
  resources: { people },
  versions: {
    '1.4.0': {
      changes: [
        {
          resource: 'people',
          split: {
            name: {
              schema: Type.String({ minLength: 3 }),
              into: ['first', 'last'],
              up: (name: string) => {
                const [first = '', last = ''] = name.split(' ');
                return { first, last };
              },
              down: ({ first, last }: { first: string; last: string }) => `${first} ${last}`,
            },
          },
          join: {
            address: {
              from: { street: Type.String(), city: Type.String() },
              up: ({ street, city }: { street: string | null; city: string | null }) => `${street}, ${city}`,
              down: (address: string) => {
                const [street = '', city = ''] = address.split(', ');
                return { street, city };
              },
            },
          },
          type: {
            price: {
              to: 'cents',
              schema: EURO,
              up: (euro: number) => euro * 100,
              down: (cents: number) => cents / 100,
            },
          },
        },
      ],
    },
  },
});

function versionProblems(model: DefinedModel): readonly string[] {
  try {
    loadDefinition({ file: 'shop.ts', defined: model });
    return [];
  } catch (error) {
    assert.ok(error instanceof ModelError);
    return error.problems.map(formatProblem);
  }
}

type Conversion = Extract<VersionChange, { kind: 'convert' }>;

function conversions(): readonly Conversion[] {
  const [older] = loadDefinition({ file: 'shop.ts', defined }).model.versions;
  return older?.changes.filter((change) => change.kind === 'convert') ?? [];
}

describe('the functions of an older version', () => {
  it('[VER-5a] convert one field to several, several to one, and one to another type', () => {
    const [split, join, type] = conversions();
    assert.deepEqual([split?.from, split?.to], [['name'], ['first', 'last']]);
    assert.deepEqual(split?.up({ name: 'Ada Byron' }), { first: 'Ada', last: 'Byron' });
    assert.deepEqual(split?.down({ first: 'Ada', last: 'Byron' }), { name: 'Ada Byron' });
    assert.deepEqual([join?.from, join?.to], [['street', 'city'], ['address']]);
    assert.deepEqual(join?.up({ street: 'A 1', city: 'Oslo' }), { address: 'A 1, Oslo' });
    assert.deepEqual(join?.down({ address: 'A 1, Oslo' }), { street: 'A 1', city: 'Oslo' });
    assert.deepEqual([type?.from, type?.to], [['price'], ['cents']]);
    assert.deepEqual(type?.up({ price: 1.5 }), { cents: 150 });
    assert.deepEqual(type?.down({ cents: 150 }), { price: 1.5 });
  });

  it('[VER-5a] are not called for unset values', () => {
    const [split, join, type] = conversions();
    assert.deepEqual(split?.up({ name: null }), { first: null, last: null });
    assert.deepEqual(join?.down({}), { street: null, city: null });
    assert.deepEqual(join?.up({ street: null, city: 'Oslo' }), { address: 'null, Oslo' });
    assert.deepEqual(type?.down({ cents: null }), { price: null });
  });

  it('[VER-5a] make fields at the place of the first that they convert to, required where these are, in no filter, sort or index', () => {
    const older = loadDefinition({ file: 'shop.ts', defined }).model.versions[0]?.model.resources.get('people');
    assert.deepEqual(
      older?.fields.map(({ name, required }) => [name, required]),
      [
        ['name', true],
        ['price', true],
        ['street', false],
        ['city', false],
      ],
    );
    assert.deepEqual(older?.schema['properties'], {
      name: { type: 'string', minLength: 3 },
      price: { type: 'number', minimum: 0 },
      street: { type: 'string' },
      city: { type: 'string' },
    });
    const queried = [...(older?.properties.values() ?? [])].filter(
      ({ sortable, filterable }) => sortable || filterable,
    );
    assert.deepEqual(
      queried.map(({ path }) => path),
      ['id', 'created_at', 'updated_at', 'revision'],
    );
    assert.deepEqual(older?.indexes, []);
    assert.deepEqual(
      older?.sort.map(({ path }) => path),
      ['created_at', 'id'],
    );
  });

  it('[VER-5a] are not needed where data says how to convert, and exclude it', () => {
    const changes = {
      resource: 'people',
      split: { name: { schema: Type.String(), into: ['first', 'last'], separator: ' ' } },
      type: { price: { to: 'cents', schema: Type.String() } },
    } as const;
    const shop = (change: object): DefinedModel => {
      const versions = { '1.4.0': { changes: [changes] } };
      const model = { name: 'shop', version: '2.0.0', default_version: 1, resources: { people }, versions } as const;
      const { definition, ...rest } = defineModel(model);
      return {
        ...rest,
        definition: { ...definition, versions: { '1.4.0': { changes: [{ ...changes, ...change }] } } },
      };
    };
    const [older] = loadDefinition({ file: 'shop.ts', defined: shop({}) }).model.versions;
    const [split, type] = older?.changes.filter((change) => change.kind === 'convert') ?? [];
    assert.deepEqual(split?.up({ name: 'Ada Byron' }), { first: 'Ada', last: 'Byron' });
    assert.deepEqual(type?.down({ cents: 5 }), { price: '5' });
    const both = { ...changes.split.name, up: () => ({}), down: () => '' };
    assert.deepEqual(versionProblems(shop({ split: { name: both } })), [
      'shop.ts: versions["1.4.0"].changes[0].split.name.separator: split has functions, which do not use a separator; remove it, or up and down',
    ]);
  });

  it('[CACHE-1] change the fingerprint', () => {
    const changed = (factor: number): string =>
      loadDefinition({
        file: 'shop.ts',
        defined: defineModel({
          name: 'shop',
          version: '2.0.0',
          default_version: 1,
          resources: { people },
          versions: {
            '1.0.0': {
              changes: [
                {
                  resource: 'people',
                  type: {
                    cents: {
                      schema: EURO,
                      up: factor === 1 ? (value) => value : (value) => Number(value) * 2,
                      down: (value) => value,
                    },
                  },
                },
              ],
            },
          },
        }),
      }).model.fingerprint;
    assert.notEqual(changed(1), changed(2));
    assert.equal(changed(1), changed(1));
  });

  it('[VER-5a] are two, of a field that the successor has', () => {
    const one = { schema: EURO, up: (value: number) => value };
    const changes = [
      { resource: 'people', type: { cents: one }, split: { name: { schema: EURO, into: ['frist', 'last'] } } },
    ];
    const versions = { '1.0.0': { changes } };
    const model = defineModel({ name: 'shop', version: '2.0.0', default_version: 1, resources: { people } });
    assert.deepEqual(versionProblems({ ...model, definition: Object.assign(model.definition, { versions }) }), [
      'shop.ts: versions["1.0.0"].changes[0].split.name: split needs a separator, or two functions, up and down; add one, such as separator: " ", or write the model in TypeScript to declare functions',
      'shop.ts: versions["1.0.0"].changes[0].type.cents.down: down is not a function; write a function',
      'shop.ts: versions["1.0.0"].changes[0].split.name: 2.0.0, the successor of 1.0.0, has no field frist in people; write first',
    ]);
  });

  it('[VER-5a] are synchronous', () => {
    const later = { schema: EURO, up: async () => 1, down: (value: number) => value };
    const versions = { '1.0.0': { changes: [{ resource: 'people', type: { cents: later } }] } };
    const model = defineModel({ name: 'shop', version: '2.0.0', default_version: 1, resources: { people } });
    const loaded = loadDefinition({
      file: 'shop.ts',
      defined: { ...model, definition: { ...model.definition, versions } },
    });
    const [change] = loaded.model.versions[0]?.changes ?? [];
    assert.ok(change?.kind === 'convert');
    assert.throws(
      () => change.up({ cents: 1 }),
      ({ cause }: Error) => cause instanceof TypeError && cause.message.includes('returned a promise'),
    );
  });
});

describe('a computed member', () => {
  const shop = (changes: readonly object[]): DefinedModel => {
    const lines = resource({
      schema: Type.Object({ price: Type.Number(), amount: Type.Integer() }),
      computed: { total: { schema: Type.Number(), from: ['price', 'amount'], value: (row) => row.price * row.amount } },
    });
    const model = defineModel({ name: 'shop', version: '2.0.0', default_version: 1, resources: { lines } });
    return { ...model, definition: Object.assign(model.definition, { versions: { '1.0.0': { changes } } }) };
  };
  const computedOf = (changes: readonly object[]): readonly (readonly [string, readonly string[]])[] => {
    const [older] = loadDefinition({ file: 'shop.ts', defined: shop(changes) }).model.versions;
    return older?.model.resources.get('lines')?.computed.map(({ name, from }) => [name, from]) ?? [];
  };

  it('[VER-5a] has its older name, and is computed from fields by theirs', () => {
    assert.deepEqual(computedOf([{ resource: 'lines', rename: { sum: 'total', cost: 'price' } }]), [
      ['sum', ['cost', 'amount']],
    ]);
    assert.deepEqual(computedOf([{ resource: 'lines', without: ['price', 'amount'], fill: { price: 1, amount: 1 } }]), [
      ['total', []],
    ]);
    assert.deepEqual(computedOf([{ resource: 'lines', without: ['total'] }]), []);
  });

  it('[VER-5a] can only be renamed or be left out', () => {
    assert.deepEqual(versionProblems(shop([{ resource: 'lines', move: { 'a.total': 'total' } }])), [
      'shop.ts: versions["1.0.0"].changes[0].move["a.total"]: total is computed in 2.0.0, so 1.0.0 can only rename it or omit it; use rename or without',
    ]);
  });
});
