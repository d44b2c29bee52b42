import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { itemsDocument, listProblems, load, resource } from '../../loading.ts';

const AUTH = `auth: { issuers: [{ name: id, issuer: https://id.example.com, audience: a, hs256_secret: 0123456789abcdef0123456789abcdef }] }
`;

describe('x-default of a field', () => {
  it('[AUTH-12] makes the field read-only, unless clients may override it', () => {
    const text = itemsDocument(
      'a: { type: string, x-default: $caller.claims.org.id }, b: { type: string, x-default: $caller.owner, x-override: true }',
      '',
      'a, b',
    );
    const [a, b] = resource(load(AUTH + text).model, 'items').fields;
    assert.deepEqual([a?.readOnly, a?.fill], [true, { value: { kind: 'claim', path: 'org.id' }, override: false }]);
    assert.deepEqual([b?.readOnly, b?.fill], [false, { value: { kind: 'caller', member: 'owner' }, override: true }]);
  });

  it('[AUTH-12] takes claims of each single type', () => {
    const types = ['integer', 'number', 'boolean', 'string, format: uuid', 'string, format: date-time'];
    const fields = types.map((type, index) => `f${index}: { type: ${type}, x-default: $caller.claims.x }`);
    assert.deepEqual(listProblems(AUTH + itemsDocument(fields.join(', '))), []);
  });

  const rows: readonly (readonly [field: string, cause: RegExp, rest?: string])[] = [
    ['type: string, x-default: $caller.claim.x', /callers have no \$caller\.claim\.x/],
    ['type: string, x-default: $caller.claims.', /callers have no/],
    ['type: string, x-default: tenant', /callers have no tenant/],
    ['type: string, x-default: $caller.scopes', /is a list/],
    ['type: integer, x-default: $caller.subject', /is text/],
    ['type: string, format: uuid, x-default: $caller.owner', /is text/],
    ['type: array, items: { type: string }, x-default: $caller.claims.x', /no single value/],
    ['type: object, properties: { a: { type: string, x-default: $caller.subject } }', /fields of a resource only/],
    ['type: string, x-default: $caller.subject, default: x', /default does not apply/],
    ['type: string, x-default: $caller.subject, readOnly: true, x-override: true', /cannot override/],
    ['type: string, x-default: $caller.subject, writeOnly: true', /no client writes or reads/],
    ['type: string, x-override: true', /no x-default/],
    ['type: string, x-default: $caller.subject', /is generated/, 'generated: { a: uuid }'],
  ];
  for (const [field, cause, rest = ''] of rows) {
    it(`[AUTH-12] is refused: ${field}${rest === '' ? '' : ` with ${rest}`}`, () => {
      const problems = listProblems(AUTH + itemsDocument(`a: { ${field} }`, rest));
      assert.deepEqual(
        [problems.length, cause.test(problems[0]?.cause ?? '')],
        [1, true],
        problems[0]?.cause ?? 'no problem',
      );
    });
  }

  it('[AUTH-12] is refused in a model without auth, where no caller is known', () => {
    const problems = listProblems(itemsDocument('a: { type: string, x-default: $caller.subject }'));
    assert.match(problems.map(({ cause }) => cause).join(), /^x-default needs auth/);
  });
});
