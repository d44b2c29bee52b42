import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ReportProblem } from '../../../../src/model/document/model-error.ts';
import type { Policy } from '../../../../src/model/policy.ts';
import type { RowRules } from '../../../../src/model/model.ts';
import { defineModel, resource } from '../../../../src/model/typescript/define-model.ts';
import { splitDefinition } from '../../../../src/model/typescript/split-definition.ts';
import { compilePolicies, withResources } from '../../policies.ts';

const SHOP = (access: string): string =>
  withResources(`  shops:
    schema:
      type: object
      properties:
        country: { type: string }
        owner_id: { type: string, readOnly: true }
        group_id: { type: string, x-references: groups }
  groups:
    schema: { type: object, properties: { name: { type: string }, top_id: { type: string, x-references: groups } } }
  goods:
    access: ${access}
    schema:
      type: object
      properties:
        name: { type: string }
        status: { type: string, enum: [DRAFT, ACTIVE] }
        stock: { type: integer }
        price: { type: string, format: decimal, x-scale: 2 }
        due: { type: string, format: date-time }
        photo: { type: string, contentEncoding: base64 }
        secret: { type: string, writeOnly: true }
        tags: { type: array, items: { type: string } }
        place: { type: object, properties: { city: { type: string } } }
        owner_id: { type: string, readOnly: true }
        shop_id: { type: string, x-references: { resource: shops, inverse: goods } }
        like_ids: { type: array, items: { type: string, x-references: { resource: goods, as: likes } } }
`);
const ACCESS_LINE = 14;

function compileRules(access: string): RowRules {
  const { model, problems } = compilePolicies(SHOP(access));
  assert.deepEqual(problems, []);
  const rows = model.resources.get('goods')?.rows;
  assert.ok(rows !== undefined);
  return rows;
}

/** The policy of `rows.read`. */
function compileReadPolicy(tree: string): Policy {
  const [rule, ...others] = compileRules(`{ rows: { read: ${tree} } }`).read;
  assert.ok(rule?.kind === 'policy' && others.length === 0);
  return rule.policy;
}

const compared = (path: string, operator: string, value: unknown, references: readonly object[] = []): object => ({
  kind: 'compare',
  references,
  resource: references.length === 0 ? 'goods' : 'shops',
  path,
  operator,
  value,
});
const literal = (value: unknown): object => ({ kind: 'literal', value });
const TO_SHOP = { field: 'shop_id', resource: 'shops' };

describe('a row policy', () => {
  const compiled: readonly (readonly [title: string, tree: string, policy: object])[] = [
    ['a value', '{ status: ACTIVE }', compared('status', 'eq', literal('ACTIVE'))],
    ['true', 'true', { kind: 'all', policies: [] }],
    ['false', 'false', { kind: 'any', policies: [] }],
    [
      'several fields, which all hold',
      '{ stock: { gte: 1, lt: 9 }, place.city: Oslo }',
      {
        kind: 'all',
        policies: [
          { kind: 'all', policies: [compared('stock', 'gte', literal(1)), compared('stock', 'lt', literal(9))] },
          compared('place.city', 'eq', literal('Oslo')),
        ],
      },
    ],
    [
      'all, any and not',
      '{ any: [{ all: [{ stock: 1 }] }, { not: { stock: 2 } }, false] }',
      {
        kind: 'any',
        policies: [
          { kind: 'all', policies: [compared('stock', 'eq', literal(1))] },
          { kind: 'not', policy: compared('stock', 'eq', literal(2)) },
          { kind: 'any', policies: [] },
        ],
      },
    ],
    ['a literal in stored form', '{ price: 1.5 }', compared('price', 'eq', literal('1.50'))],
    ['a price in dollars', '{ name: $5 }', compared('name', 'eq', literal('$5'))],
    ['a part of a date', "{ name: { starts_with: 'a' } }", compared('name', 'starts_with', literal('a'))],
    [
      'an item of an array',
      '{ tags: { contains: $caller.client } }',
      compared('tags', 'contains', { kind: 'caller', member: 'client' }),
    ],
    ['whether a field is set', '{ tags: { exists: false } }', compared('tags', 'exists', literal(false))],
    ['a claim', '{ name: $caller.claims.org.id }', compared('name', 'eq', { kind: 'claim', path: 'org.id' })],
    ['scopes', '{ name: { in: $caller.scopes } }', compared('name', 'in', { kind: 'caller', member: 'scopes' })],
    [
      'a list',
      '{ name: { nin: [a, $caller.subject] } }',
      compared('name', 'nin', { kind: 'list', values: [literal('a'), { kind: 'caller', member: 'subject' }] }),
    ],
    ['a field beyond one reference', '{ shop.country: NO }', compared('country', 'eq', literal('NO'), [TO_SHOP])],
    [
      'a field beyond two references',
      '{ shop.group.name: a }',
      {
        ...compared('name', 'eq', literal('a'), [TO_SHOP, { field: 'group_id', resource: 'groups' }]),
        resource: 'groups',
      },
    ],
  ];
  for (const [title, tree, policy] of compiled) {
    it(`[AUTH-5a] compiles ${title}`, () => {
      assert.deepEqual(compileReadPolicy(tree), policy);
    });
  }

  const invalid: readonly (readonly [title: string, tree: string, path: string, cause: RegExp])[] = [
    ['names no field', '{}', '', /names no field/],
    ['names no field in its parts', '{ all: [true, { not: false }] }', '', /names no field/],
    ['is a text', 'mine', '', /read has type string|read must|read is/],
    ['is empty', '{ any: [] }', '.any', /any is empty/],
    ['has no list', '{ any: { stock: 1 } }', '.any', /any is not a list/],
    ['has a part that is none', '{ any: [3] }', '.any[0]', /a policy is true, false or an object/],
    ['names an unknown field', '{ nam: a }', '.nam', /goods has no readable field nam/],
    ['names a write-only field', '{ secret: a }', '.secret', /no readable field secret/],
    ['names a claim in the place of a field', '{ $caller.claims.admin: true }', '.$caller.claims.admin', /is no field/],
    ['names an object', '{ place: a }', '.place', /no readable field place/],
    ['names a binary field', '{ photo: a }', '.photo', /cannot be compared/],
    ['names an unknown operator', '{ stock: { gtt: 1 } }', '.stock.gtt', /no operator gtt/],
    ['has no operator', '{ stock: {} }', '.stock', /the comparison is empty/],
    ['compares a number by its start', '{ stock: { starts_with: 1 } }', '.stock.starts_with', /cannot be compared by/],
    ['compares an array as a whole', '{ tags: a }', '.tags', /cannot be compared by eq/],
    ['compares a number with a text', "{ stock: '1' }", '.stock', /stock must be a number/],
    ['compares a text with a number', '{ name: 1 }', '.name', /name must be a string/],
    ['compares a date-time with a word', '{ due: soon }', '.due', /due must be a date and time/],
    ['compares an enum with another value', '{ status: { in: [GONE] } }', '.status.in[0]', /status cannot be "GONE"/],
    ['compares a number with the subject', '{ stock: $caller.subject }', '.stock', /\$caller\.subject is text/],
    ['compares with null', '{ name: null }', '.name', /name must be a string/],
    ['compares with a list', '{ name: [a] }', '.name', /name must be a string/],
    ['lists a single value', '{ name: { in: a } }', '.name.in', /not a list/],
    ['lists the subject', '{ name: { in: $caller.subject } }', '.name.in', /is a single value/],
    ['compares with a list of scopes', '{ name: $caller.scopes }', '.name', /is a list/],
    ['compares a date-time with the issuer', '{ due: { gt: $caller.issuer } }', '.due.gt', /\$caller\.issuer is text/],
    ['names what is no value of the caller', '{ name: { ne: $NOW } }', '.name.ne', /callers have no \$NOW/],
    [
      'lists what is no value of the caller',
      '{ name: { in: [a, $USER.id] } }',
      '.name.in[1]',
      /callers have no \$USER/,
    ],
    ['names an unknown member of the caller', '{ name: $caller.email }', '.name', /callers have no \$caller\.email/],
    ['asks for exists with a word', '{ name: { exists: yes please } }', '.name.exists', /exists must be true or false/],
    ['goes through an array of references', '{ likes.name: a }', '.likes.name', /leads to many rows/],
    ['goes through three references', '{ shop.group.top.name: a }', '.shop.group.top.name', /more than 2 relations/],
    ['goes through an unknown relation', '{ maker.name: a }', '.maker.name', /no readable field maker\.name/],
  ];
  for (const [title, tree, path, cause] of invalid) {
    it(`[AUTH-5a] is a model error where it ${title}`, () => {
      const { problems } = compilePolicies(SHOP(`{ rows: { read: ${tree} } }`));
      const found = problems.map((each) => `${each.line} ${each.path} ${each.cause}`);
      assert.equal(problems.length, 1, found.join('\n'));
      const [problem] = problems;
      assert.match(problem?.cause ?? '', cause);
      assert.equal(problem?.line, ACCESS_LINE);
      assert.match(problem?.path ?? '', /^resources\.goods\.access\.rows\.read/);
      if (!path.includes('$') && !path.includes('.', 1)) {
        assert.equal(problem?.path, `resources.goods.access.rows.read${path}`);
      }
      assert.notEqual(problem?.fix, '');
    });
  }

  it('[AUTH-5a] is a model error where it has too many comparisons for a statement', () => {
    const tree = (count: number): string => `{ any: [${'{ stock: 1 }, '.repeat(count)}] }`;
    assert.deepEqual(compilePolicies(SHOP(`{ rows: { read: ${tree(100)} } }`)).problems, []);
    const { problems } = compilePolicies(SHOP(`{ rows: { read: ${tree(101)} } }`));
    assert.match(problems[0]?.cause ?? '', /more than 100 comparisons/);
  });

  it('[AUTH-5a] is a model error where it goes through an inverse relation', () => {
    const { problems } = compilePolicies(
      SHOP('{ read: public }').replace('  shops:\n', '  shops:\n    access: { rows: { read: { goods.name: a } } }\n'),
    );
    assert.deepEqual(
      problems.map(({ line }) => line),
      [5],
    );
    assert.match(problems[0]?.cause ?? '', /goods of shops leads to many rows/);
  });

  it('[AUTH-5a] holds for what changes rows too, unless that has a policy of its own', () => {
    const same = compileRules('{ rows: { read: { stock: 1 } } }');
    assert.deepEqual(same.create, same.read);
    assert.deepEqual(same.update, same.read);
    assert.deepEqual(same.delete, same.read);
    const own = compileRules('{ rows: { read: { stock: 1 }, delete: { stock: 2 } } }');
    assert.deepEqual(own.update, own.read);
    assert.deepEqual(own.delete, [{ kind: 'policy', policy: compared('stock', 'eq', literal(2)) }]);
  });
});

describe('a policy of a TypeScript model', () => {
  const auth = { issuers: [{ name: 'a', issuer: 'https://a.example', audience: 'b', hs256_secret: 'x'.repeat(32) }] };
  const schema = { type: 'object', properties: { name: { type: 'string' } } } as const;

  const refuse: ReportProblem = (path, cause) => assert.fail(`${path.join('.')}: ${cause}`);

  it('[AUTH-5a] is a function of the caller, beside policies that are data', () => {
    const items = resource({
      schema,
      access: { rows: { read: ({ subject }) => ({ name: subject }), delete: false } },
    });
    const { data, code } = splitDefinition(defineModel({ name: 'shop', auth, resources: { items } }), refuse);
    const { model, problems } = compilePolicies(JSON.stringify(data), code);
    assert.deepEqual(problems, []);
    const rows = model.resources.get('items')?.rows;
    const [rule, ...others] = rows?.read ?? [];
    assert.ok(rule?.kind === 'function' && others.length === 0);
    assert.deepEqual([rows?.create, rows?.update], [[rule], [rule]]);
    assert.deepEqual(rows?.delete, [{ kind: 'policy', policy: { kind: 'any', policies: [] } }]);
  });

  it('[AUTH-5a] is a model error for an unknown operation', () => {
    const rows: object = { list: () => true };
    const items = resource({ schema, access: { rows } });
    const { data, code } = splitDefinition(defineModel({ name: 'shop', auth, resources: { items } }), refuse);
    assert.deepEqual(
      compilePolicies(JSON.stringify(data), code).problems.map(({ path, cause }) => `${path}: ${cause}`),
      ['resources.items.access.rows.list: unknown key list'],
    );
  });
});

describe('the owner of rows', () => {
  const isOwner = { kind: 'policy', policy: compared('owner_id', 'eq', { kind: 'caller', member: 'owner' }) };

  it('[AUTH-5a] alone reads and changes them, and creates them by being their owner', () => {
    const rows = compileRules('{ owner: owner_id }');
    assert.deepEqual(rows, { read: [isOwner], create: [], update: [isOwner], delete: [isOwner] });
  });

  it('[AUTH-5a] alone changes what everyone reads', () => {
    const rows = compileRules('{ read: public, owner: owner_id }');
    assert.deepEqual(rows, { read: [], create: [], update: [isOwner], delete: [isOwner] });
  });

  it('[AUTH-5a] is not asked for where the caller has the scope that bypasses it', () => {
    const { read } = compileRules('{ owner: { field: owner_id, bypass: admin } }');
    const policies = [{ kind: 'scope', scope: 'admin' }, isOwner.policy];
    assert.deepEqual(read, [{ kind: 'policy', policy: { kind: 'any', policies } }]);
  });

  it('[AUTH-5a] has to fulfil the policies too', () => {
    const { read, create } = compileRules('{ owner: owner_id, rows: { read: { stock: 1 } } }');
    const policy = { kind: 'policy', policy: compared('stock', 'eq', literal(1)) };
    assert.deepEqual(read, [policy, isOwner]);
    assert.deepEqual(create, [policy]);
  });

  for (const [owner, path] of [
    ['name', 'owner'],
    ['nope', 'owner'],
    ['{ field: stock }', 'owner.field'],
  ]) {
    it(`[AUTH-5a] is a model error where it is ${owner}`, () => {
      const { problems } = compilePolicies(SHOP(`{ owner: ${owner} }`));
      assert.deepEqual(
        problems.map((each) => `${each.line} ${each.path}`),
        [`${ACCESS_LINE} resources.goods.access.${path}`],
      );
      assert.match(problems[0]?.cause ?? '', /is not a readOnly string/);
    });
  }
});

describe('access to fields', () => {
  const fieldsOf = (access: string, settings = '') =>
    compilePolicies(SHOP(access).replace('    access: ', `${settings}    access: `));

  it('[AUTH-5a] has rules to read and to write, besides those of the resource', () => {
    const { model, problems } = fieldsOf(
      '{ fields: { name: { read: { scope: s } }, stock: { write: { scope: t } }, owner_id: { read: authenticated } } }',
    );
    assert.deepEqual(problems, []);
    assert.deepEqual(
      [...(model.resources.get('goods')?.fieldAccess ?? [])],
      [
        ['name', { read: { kind: 'scope', scope: 's' }, write: null }],
        ['stock', { read: null, write: { kind: 'scope', scope: 't' } }],
        ['owner_id', { read: { kind: 'authenticated' }, write: null }],
      ],
    );
  });

  const invalid: readonly (readonly [title: string, field: string, settings: string, path: string, cause: RegExp])[] = [
    ['an unknown field', 'nam: { read: { scope: s } }', '', 'nam', /goods has no field nam/],
    ['a write of a read-only field', 'owner_id: { write: { scope: s } }', '', 'owner_id.write', /read-only/],
    ['a searched field', 'name: { read: { scope: s } }', '    search: [name]\n', 'name.read', /search would show/],
    [
      'a sorted field',
      'place: { read: { scope: s } }',
      '    sort: -place.city\n',
      'place.read',
      /default sort would show/,
    ],
  ];
  for (const [title, field, settings, path, cause] of invalid) {
    it(`[AUTH-5a] is a model error for ${title}`, () => {
      const { problems } = fieldsOf(`{ fields: { ${field} } }`, settings);
      const line = ACCESS_LINE + (settings === '' ? 0 : 1);
      assert.deepEqual(
        problems.map((each) => `${each.line} ${each.path}`),
        [`${line} resources.goods.access.fields.${path}`],
      );
      assert.match(problems[0]?.cause ?? '', cause);
    });
  }

  it('[AUTH-5a] is no wider for a computed member than for what it is computed from', () => {
    const computed = { upper: { schema: { type: 'string' }, from: ['name'], value: () => '' } };
    const code = new Map([['goods', { validate: null, computed }]]);
    const causes = (fields: string): readonly string[] =>
      compilePolicies(SHOP(`{ fields: { ${fields} } }`), code).problems.map(({ cause }) => cause);
    const rule = '{ read: { scope: s } }';
    assert.match(causes(`name: ${rule}`).join(), /computed member upper would show values of name/);
    assert.deepEqual(causes(`name: ${rule}, upper: ${rule}`), []);
    assert.deepEqual(causes(`upper: ${rule}`), []);
  });

  it('[AUTH-5a] may be that of the resource for a searched field', () => {
    const access = '{ read: { scope: s }, fields: { name: { read: { scope: s } } } }';
    assert.deepEqual(fieldsOf(access, '    search: [name]\n').problems, []);
  });
});
