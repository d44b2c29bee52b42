import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ownerForm, policyCaller } from '../../src/auth/policy-caller.ts';
import type { AuthRules } from '../../src/model/model.ts';
import { compilePolicies, withResources } from '../model/policies.ts';

const { auth } = compilePolicies(withResources('  notes: { schema: { type: object } }\n')).model;
assert.ok(auth !== null);
const [issuer] = auth.issuers;
assert.ok(issuer !== undefined);
const TOKEN = { issuer: 'a', subject: 'ann', client: null, scopes: new Set(['s']), claims: { tenant: 't' } };

describe('the owner of what a caller creates', () => {
  it('[AUTH-5a] is its subject while one source of identity is configured, else its issuer and its subject', () => {
    const rows: readonly (readonly [rules: Partial<AuthRules>, owner: string])[] = [
      [{}, 'ann'],
      [{ issuers: [issuer, issuer] }, 'a:ann'],
      [{ gateway: { secret: 'x' } }, 'a:ann'],
      [{ issuers: [], gateway: { secret: 'x' } }, 'ann'],
      [{ apiKeys: 'api_keys' }, 'a:ann'],
    ];
    for (const [rules, owner] of rows) {
      assert.deepEqual(policyCaller(TOKEN, ownerForm({ ...auth, ...rules })), { ...TOKEN, owner });
    }
  });
});
