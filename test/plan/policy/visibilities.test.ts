import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../src/conventions/json/json.ts';
import { compilePolicy } from '../../../src/model/compile/access/policy.ts';
import type { Model, Resource, RowRules } from '../../../src/model/model.ts';
import type { PolicyCaller } from '../../../src/model/policy.ts';
import { isVisible } from '../../../src/plan/policy/holds.ts';
import type { Row } from '../../../src/plan/plan.ts';
import {
  PolicyError,
  UNRESTRICTED,
  Visibilities,
  visibilitiesByCaller,
} from '../../../src/plan/policy/visibilities.ts';
import { isJudgedByRow, judgedFields, type Visibility } from '../../../src/plan/visibility.ts';
import { commit, create, listIds } from '../../../store-suite/sample-writes.ts';
import { compilePolicies, withResources } from '../../model/policies.ts';
import { openSample } from '../../stores/sqlite/open-sample.ts';
import { runs } from '../../extent.ts';

const SHOP = withResources(`  shops:
    id: client
    access: { rows: { read: { tenant: $caller.claims.tenant } } }
    schema: { type: object, properties: { tenant: { type: string } } }
  goods:
    id: client
    parent: shops
    access: { owner: { field: owner_id, bypass: admin } }
    schema:
      type: object
      properties:
        name: { type: string }
        stock: { type: integer }
        tags: { type: array, items: { type: string } }
        owner_id: { type: string, readOnly: true }
        like_id: { type: string, x-references: goods }
`);
const { model, problems } = compilePolicies(SHOP);
assert.deepEqual(problems, []);

const ANONYMOUS: PolicyCaller = { subject: null, client: null, issuer: null, owner: null, scopes: null, claims: {} };
const caller = (changes: Partial<PolicyCaller>): PolicyCaller => ({
  ...ANONYMOUS,
  subject: 'ann',
  owner: 'ann',
  issuer: 'a',
  scopes: new Set(),
  ...changes,
});
const withClaims = (claims: JsonObject): PolicyCaller => caller({ claims });

function goods(): Resource {
  const found = model.resources.get('goods');
  assert.ok(found !== undefined);
  return found;
}

/** The model with other rules on goods, which need no visible shop. */
function ruled(rules: Partial<RowRules>): Model['resources'] {
  const rows = { ...goods().rows, ...rules };
  return new Map([...model.resources, ['goods', { ...goods(), rows }]]);
}

function compiled(tree: Json): Model['resources'] {
  const report = (...problem: readonly unknown[]): never => assert.fail(problem.join(' '));
  const context = { resource: goods(), resources: model.resources, report, isResult: false };
  return ruled({ read: [{ kind: 'policy', policy: compilePolicy(tree, [], context) }] });
}

/** A policy on goods, bound to a caller. */
function boundTo(tree: Json, to: PolicyCaller): Visibility {
  return new Visibilities(compiled(tree), to).own('goods');
}

const readDigest = (visible: Visibility): string => (visible.kind === 'conditions' ? visible.digest : visible.kind);

/** True, false or unknown, as SQL has them. */
type Truth = boolean | null;

/** The value that a policy names; undefined for a claim that is absent. */
function resolved(value: Json, { claims, subject }: PolicyCaller): Json | undefined {
  if (value === '$caller.subject') return subject ?? undefined;
  return typeof value === 'string' && value.startsWith('$caller.claims.') ? claims[value.slice(15)] : value;
}

const compareEqual = (path: string, value: Json | undefined): boolean =>
  path === 'stock' ? Number.isInteger(value) : typeof value === 'string';

/** One comparison, by the words of QRY-7. */
function compares(row: Row, path: string, operator: string, given: Json, to: PolicyCaller): Truth {
  const held = row[path] ?? null;
  if (operator === 'exists') return (held !== null && (!Array.isArray(held) || held.length > 0)) === given;
  if (operator === 'in' || operator === 'nin') {
    const list = Array.isArray(given) ? given.map((each: Json) => resolved(each, to)) : resolved(given, to);
    if (!Array.isArray(list) || !list.every((each) => compareEqual(path, each))) return null;
    return (held !== null && list.includes(held)) === (operator === 'in');
  }
  const value = resolved(given, to);
  if (!compareEqual(path, value) || value === undefined || value === null) return null;
  if (operator === 'eq') return held === value;
  if (operator === 'ne') return held !== value;
  if (held === null) return false;
  if (typeof held === 'number') return ordered(operator, held - Number(value));
  assert.ok(typeof value === 'string' && (typeof held === 'string' || Array.isArray(held)));
  if (operator === 'contains') return held.includes(value);
  assert.ok(typeof held === 'string');
  if (operator === 'starts_with') return held.startsWith(value);
  return ordered(operator, Buffer.compare(Buffer.from(held), Buffer.from(value)));
}

function ordered(operator: string, order: number): boolean {
  return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[operator] ?? assert.fail(operator);
}

/** The truth of a tree by the tables of Kleene. */
function judged(tree: Json, row: Row, to: PolicyCaller): Truth {
  if (typeof tree === 'boolean') return tree;
  const truths = Object.entries(tree ?? {}).map(([name, held]: [string, Json]): Truth => {
    if (name === 'not') {
      const truth = judged(held, row, to);
      return truth === null ? null : !truth;
    }
    const parts: readonly Json[] = Array.isArray(held) ? held : [];
    if (name === 'all') return conjunction(parts.map((each) => judged(each, row, to)));
    if (name === 'any') {
      const negated = conjunction(parts.map((each) => judged({ not: each }, row, to)));
      return negated === null ? null : !negated;
    }
    const comparisons = typeof held === 'object' && held !== null && !Array.isArray(held) ? held : { eq: held };
    return conjunction(
      Object.entries(comparisons).map(([operator, value]: [string, Json]) => compares(row, name, operator, value, to)),
    );
  });
  return conjunction(truths);
}

function conjunction(truths: readonly Truth[]): Truth {
  if (truths.includes(false)) return false;
  return truths.includes(null) ? null : true;
}

const text = fc.constantFrom<Json>('a', 'ab', 'b', '$caller.subject', '$caller.claims.t', '$caller.claims.n');
const whole = fc.constantFrom<Json>(-1, 0, 1, '$caller.claims.t', '$caller.claims.n');
const lists = (value: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.oneof(fc.array(value, { maxLength: 3 }), fc.constant('$caller.claims.l'));
const comparison: fc.Arbitrary<Json> = fc.oneof(
  fc.record({ name: text }),
  fc
    .tuple(
      fc.constantFrom('name', 'owner_id'),
      fc.constantFrom('eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'contains', 'starts_with'),
      text,
    )
    .map(([path, operator, value]) => ({ [path]: { [operator]: value } })),
  fc
    .tuple(fc.constantFrom('eq', 'ne', 'gt', 'gte', 'lt', 'lte'), whole)
    .map(([operator, value]) => ({ stock: { [operator]: value } })),
  fc.tuple(fc.constantFrom('in', 'nin'), lists(text)).map(([operator, value]) => ({ name: { [operator]: value } })),
  fc.tuple(fc.constantFrom('in', 'nin'), lists(whole)).map(([operator, value]) => ({ stock: { [operator]: value } })),
  text.map((value) => ({ tags: { contains: value } })),
  fc.tuple(fc.constantFrom('name', 'stock', 'tags'), fc.boolean()).map(([path, exists]) => ({ [path]: { exists } })),
);
const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    comparison,
    fc.boolean(),
    fc.record({ not: tie('tree') }),
    fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((all) => ({ all })),
    fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((any) => ({ any })),
  ),
}));
const claims: fc.Arbitrary<JsonObject> = fc.record(
  {
    t: fc.constantFrom<Json>('a', 'ab', 1, null, ['a']),
    n: fc.constantFrom<Json>(0, 1, 'a', true, 1.5),
    l: fc.constantFrom<Json>([], ['a', 'b'], [0, 1], ['a', 1], 'a', {}),
  },
  { requiredKeys: [] },
);
const subject = fc.constantFrom('a', 'b', null);
const row: fc.Arbitrary<Row> = fc.record({
  id: fc.constant('x'),
  created_at: fc.constant(''),
  updated_at: fc.constant(''),
  revision: fc.constant(1),
  name: fc.constantFrom<Json>('a', 'ab', 'b', null),
  owner_id: fc.constantFrom<Json>('a', 'b', null),
  stock: fc.constantFrom<Json>(-1, 0, 1, null),
  tags: fc.constantFrom<Json>([], ['a'], ['a', 'b']),
});

/** True if a policy names a field, which compilation asks for. */
function namesField(given: Json): boolean {
  return typeof given === 'boolean' || /name|stock|tags|owner_id/.test(JSON.stringify(given));
}

/** A row as it is read with some of its fields. */
function needed(given: Row, fields: ReadonlySet<string>): Row {
  const { id, created_at, updated_at, revision } = given;
  const held = Object.entries(given).filter(([name]) => fields.has(name));
  return { ...Object.fromEntries(held), id, created_at, updated_at, revision };
}

describe('a policy bound to a caller', () => {
  it('[law] [AUTH-5a] [QRY-7] shows the rows for which its tree is true, and none for which it is unknown', () => {
    fc.assert(
      fc.property(
        tree.filter(namesField),
        claims,
        subject,
        fc.array(row, { maxLength: 6 }),
        (given, held, name, rows) => {
          const to = caller({ claims: held, subject: name });
          const visible = boundTo(given, to);
          assert.ok(isJudgedByRow(visible));
          const fields = new Set(['id', ...judgedFields(visible)]);
          for (const each of rows) {
            assert.equal(
              isVisible(goods(), needed(each, fields), visible),
              judged(given, each, to) === true,
              JSON.stringify([visible, each]),
            );
          }
        },
      ),
      { numRuns: runs(200, 3_000), seed: 26 },
    );
  });

  it('[AUTH-5a] shows no row by a claim that is absent or of another type, not even where it is negated', () => {
    for (const held of [{}, { t: 1 }, { t: null }, { t: ['a'] }]) {
      for (const given of [
        { name: '$caller.claims.t' },
        { not: { name: '$caller.claims.t' } },
        { name: { ne: '$caller.claims.t' } },
        { name: { nin: '$caller.claims.u' } },
        { not: { any: [{ name: '$caller.claims.t' }, false] } },
        { 'like.name': { ne: '$caller.claims.t' } },
      ]) {
        assert.equal(boundTo(given, withClaims(held)).kind, 'nothing', JSON.stringify([given, held]));
      }
    }
  });

  it('[AUTH-5a] finds claims in objects, and claims whose names have dots', () => {
    const visible = (path: string, held: JsonObject) => boundTo({ name: `$caller.claims.${path}` }, withClaims(held));
    const wanted = boundTo({ name: 'x' }, ANONYMOUS);
    assert.deepEqual(visible('org.id', { org: { id: 'x' } }), wanted);
    assert.deepEqual(visible('https://a.example/org', { 'https://a.example/org': 'x' }), wanted);
    assert.deepEqual(visible('https://a.example/org.id', { 'https://a.example/org': { id: 'x' } }), wanted);
    assert.equal(visible('constructor.name', {}).kind, 'nothing');
  });

  it('[AUTH-5a] has one digest for callers whose policies come to the same', () => {
    const given = { all: [{ name: '$caller.claims.t' }, { stock: { in: [1, 2] } }] };
    const one = readDigest(boundTo(given, withClaims({ t: 'a' })));
    assert.equal(readDigest(boundTo(given, caller({ subject: 'bob', claims: { t: 'a', u: 'b' } }))), one);
    assert.equal(readDigest(boundTo({ stock: { in: [2, 1, 2] }, name: 'a' }, ANONYMOUS)), one);
    assert.notEqual(readDigest(boundTo(given, withClaims({ t: 'b' }))), one);
    const ors = [{ name: 'a' }, { stock: 1 }];
    assert.notEqual(readDigest(boundTo({ any: ors }, ANONYMOUS)), readDigest(boundTo({ all: ors }, ANONYMOUS)));
    assert.notEqual(
      readDigest(boundTo({ not: { stock: { gt: 1 } } }, ANONYMOUS)),
      readDigest(boundTo({ stock: { gt: 1 } }, ANONYMOUS)),
    );
    assert.notEqual(
      readDigest(boundTo({ 'like.name': 'a' }, ANONYMOUS)),
      readDigest(boundTo({ name: 'a' }, ANONYMOUS)),
    );
  });
});

describe('the rows of a caller', () => {
  it('[AUTH-5a] [URL-7] are below visible rows, whether a read names them or not', async () => {
    const store = await openSample({}, model);
    try {
      for (const [id, tenant] of [
        ['s', 't'],
        ['u', 'v'],
      ] as const) {
        const within = [{ resource: 'shops', id }];
        const good = (name: string, owner: string) => {
          const values = { shop_id: id, name: null, stock: null, tags: [], owner_id: owner, like_id: null };
          return create('goods', name, values, { within });
        };
        await commit(store, create('shops', id, { tenant }), good('x', 'ann'), good('y', 'bob'));
      }
      const ids = async (to: PolicyCaller): Promise<readonly string[]> => {
        const visible = new Visibilities(model.resources, to).whole('goods');
        const order = ['shop_id', 'id'].map((path) => ({ path, descending: false }));
        return listIds(store, { resource: 'goods', visible, order });
      };
      assert.deepEqual(await ids(withClaims({ tenant: 't' })), ['x']);
      assert.deepEqual(await ids(caller({ claims: { tenant: 'v' }, scopes: new Set(['admin']) })), ['x', 'y']);
      assert.deepEqual(await ids(withClaims({})), []);
    } finally {
      await store.close();
    }
  });

  it('[AUTH-5a] are their own, or those of a caller with the scope that bypasses owners', () => {
    const own = (to: PolicyCaller) => new Visibilities(model.resources, to).own('goods', 'update');
    assert.equal(own(caller({})).kind, 'conditions');
    assert.equal(own(caller({ scopes: new Set(['admin']) })).kind, 'everything');
    assert.equal(own(ANONYMOUS).kind, 'nothing');
  });

  it('[AUTH-5a] are not restricted in a model without rules', () => {
    const visibilities = visibilitiesByCaller(model.resources);
    assert.notEqual(visibilities(ANONYMOUS), UNRESTRICTED);
    assert.equal(visibilities(ANONYMOUS), visibilities(ANONYMOUS));
    const { model: plain } = compilePolicies(withResources('  notes: { schema: { type: object } }\n'));
    assert.equal(visibilitiesByCaller(plain.resources)(ANONYMOUS), UNRESTRICTED);
    assert.equal(new Visibilities(plain.resources, ANONYMOUS).whole('notes').kind, 'everything');
  });
});

describe('a policy function', () => {
  const shownBy = (policyOf: (to: PolicyCaller) => unknown, to: PolicyCaller = caller({})): Visibility =>
    new Visibilities(ruled({ read: [{ kind: 'function', policyOf }] }), to).own('goods');

  it('[AUTH-5a] gets the caller and returns a tree as data has it', () => {
    const visible = shownBy(({ subject: name }) => ({
      any: [{ owner_id: name }, { tags: { contains: name } }],
    }));
    assert.deepEqual(visible, boundTo({ any: [{ owner_id: 'ann' }, { tags: { contains: 'ann' } }] }, ANONYMOUS));
    assert.deepEqual(
      shownBy(({ scopes }) => ({ name: { in: scopes } }), caller({ scopes: new Set(['b', 'a']) })),
      boundTo({ name: { in: ['b', 'a'] } }, ANONYMOUS),
    );
    assert.equal(shownBy(() => true).kind, 'everything');
  });

  it('[AUTH-5a] shows no row by a value that the caller does not have', () => {
    for (const none of [undefined, null, 1, [], Number.NaN]) {
      assert.equal(shownBy(() => ({ name: none })).kind, 'nothing', String(none));
      assert.equal(shownBy(() => ({ not: { name: none } })).kind, 'nothing', String(none));
    }
    assert.equal(shownBy(() => ({ name: { nin: undefined } })).kind, 'nothing');
    assert.equal(shownBy(() => ({ name: { nin: ['a', undefined] } })).kind, 'nothing');
  });

  const cyclic: { not: unknown } = { not: null };
  cyclic.not = cyclic;
  const failures: readonly (readonly [title: string, policyOf: () => unknown, says: RegExp])[] = [
    ['throws', () => assert.fail('boom'), /a policy of goods failed/],
    ['returns nothing', () => undefined, /true, false or an object/],
    ['returns an empty tree', () => ({}), /names no field/],
    ['returns alternatives that are undefined', () => ({ any: undefined }), /any is not a list/],
    ['returns a promise', () => Promise.reject(new Error('late')), /failed/],
    ['returns a tree that contains itself', () => cyclic, /failed/],
    ['names an unknown field', () => ({ nope: 1 }), /no readable field nope/],
    [
      'returns the name of a claim',
      () => ({ name: '$caller.subject' }),
      /returns the text \$caller\..*return the value/,
    ],
    ['lists the name of a claim', () => ({ name: { in: ['$caller.claims.x'] } }), /returns the text \$caller/],
    ['returns the name of a list', () => ({ name: { in: '$caller.scopes' } }), /returns the text \$caller/],
    ['returns a function', () => ({ name: () => 'a' }), /failed/],
  ];
  for (const [title, policyOf, says] of failures) {
    it(`[AUTH-5a] fails where it ${title}`, () => {
      assert.throws(
        () => shownBy(policyOf),
        (error) => error instanceof PolicyError && says.test(error.message),
      );
    });
  }
});
