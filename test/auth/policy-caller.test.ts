import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { Callers } from '../../src/operations/principal.ts';
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

  it('[AUTH-9b] is of one caller alone, whatever the ports of issuers and the texts of subjects are', () => {
    const declare = (iss: string) =>
      `{ issuer: '${iss}', audience: a, hs256_secret: 0123456789abcdef0123456789abcdef }`;
    const issuers = [
      'https://id.example.com/',
      'https://id.example.com:8443/',
      'https://[::1]:8443/',
      'https://[::1]/',
    ];
    const text = `name: desk\nauth: { api_keys: true, issuers: [${issuers.map(declare).join(', ')}] }\nresources: { notes: { schema: { type: object } } }\n`;
    const { model } = loadModel({ file: 'model.yaml', text, env: {} });
    const names = [...(model.auth?.issuers ?? []).map(({ name }) => name), 'api-keys', 'gateway'];
    const subjects = ['ann', '8443:ann', ':ann', '~8443:ann', '8443:8443:ann', '1]:8443:ann', 'api-keys:ann'];
    const callers = new Callers(model);
    const owners = names.flatMap((name) =>
      subjects.map((subject) => callers.create({ ...TOKEN, issuer: name, subject }, 'bearer').owner),
    );
    assert.equal(new Set(owners).size, names.length * subjects.length);
  });
});
