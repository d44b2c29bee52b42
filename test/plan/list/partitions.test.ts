import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../../src/conventions/json/json.ts';
import type { PolicyCaller } from '../../../src/model/policy.ts';
import { partitionFields, findPartition } from '../../../src/plan/list/partitions.ts';
import { Visibilities } from '../../../src/plan/policy/visibilities.ts';
import { compilePolicies, withResources } from '../../model/policies.ts';

const CALLER: PolicyCaller = {
  subject: 'ann',
  client: null,
  issuer: 'test',
  owner: 'ann',
  scopes: new Set(['admin']),
  claims: { tenant: 't', tenants: ['a', 'b'], one: ['a'], level: 3 },
};

/** The fields and the partition of a resource with this access. */
function partition(access: string): unknown {
  const { model } = compilePolicies(
    withResources(`  goods:
    access: { read: authenticated, write: authenticated, ${access} }
    schema:
      type: object
      properties:
        tenant: { type: string }
        status: { type: string }
        level: { type: integer }
        day: { type: string, format: date }
        owner_id: { type: string, readOnly: true }
`),
  );
  const resource = model.resources.get('goods') ?? assert.fail('no goods');
  const visible = new Visibilities(model.resources, CALLER).own('goods');
  return { fields: partitionFields(resource), partition: findPartition(resource, visible) };
}

describe('the partition of a visibility', () => {
  const rows: readonly (readonly [access: string, fields: readonly string[], partition: JsonObject | null])[] = [
    ['owner: owner_id', ['owner_id'], { field: 'owner_id', value: 'ann' }],
    ['owner: { field: owner_id, bypass: admin }', ['owner_id'], null],
    ['rows: { read: { tenant: $caller.claims.tenant } }', ['tenant'], { field: 'tenant', value: 't' }],
    ['rows: { read: { tenant: $caller.claims.none } }', ['tenant'], null],
    ['rows: { read: { all: [{ tenant: $caller.claims.tenant }, { status: LIVE }] } }', ['tenant'], null],
    ['rows: { read: { any: [{ tenant: $caller.claims.tenant }, { status: LIVE }] } }', ['tenant'], null],
    ['rows: { read: { not: { tenant: $caller.claims.tenant } } }', [], null],
    ['rows: { read: { status: LIVE } }', [], null],
    ['rows: { read: { level: $caller.claims.level } }', [], null],
    ['rows: { read: { tenant: { in: $caller.claims.tenants } } }', [], null],
  ];
  for (const [access, fields, expected] of rows) {
    it(`[CACHE-2] with ${access} is ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(partition(access), { fields, partition: expected });
    });
  }
});
