import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { listPolicyWarnings } from '../../src/plan/policy/policy-warnings.ts';

const issuer = (host: string): string =>
  `{ issuer: 'https://${host}/', audience: desk, hs256_secret: 0123456789abcdef0123456789abcdef }`;

function warnings(issuers: readonly string[], rule: string, action: string, above = 'true'): readonly string[] {
  const text = `
name: desk
auth: { api_keys: true, issuers: [${issuers.map(issuer).join(', ')}] }
resources:
  makers:
    schema: { type: object, properties: { by: { type: string } } }
    access: { rows: { read: true, delete: ${above} } }
  notes:
    schema: { type: object, properties: { by: { type: string }, maker_id: { type: string, x-references: { resource: makers, on_delete: ${action} } } } }
    access: { rows: { read: ${rule} } }
`;
  return listPolicyWarnings(loadModel({ file: 'model.yaml', text, env: {} }).model);
}

describe('listPolicyWarnings', () => {
  it('[AUTH-5a] names rules that compare the subject in a model with two issuers, and the cure', () => {
    const [first = '', ...others] = warnings(['a.example', 'b.example'], '{ by: $caller.subject }', 'restrict');
    assert.match(first, /^resources\.notes: access\.rows\.read.* compares \$caller\.subject.*compare \$caller\.owner/);
    assert.deepEqual(others, []);
    assert.deepEqual(warnings(['a.example'], '{ by: $caller.subject }', 'restrict'), []);
    assert.deepEqual(warnings(['a.example', 'b.example'], '{ by: $caller.owner }', 'restrict'), []);
  });

  it('[AUTH-5a] names references by which a deletion passes by a narrower rule', () => {
    const rule = '{ by: $caller.owner }';
    assert.match(warnings(['a.example'], rule, 'cascade')[0] ?? '', /deletion of makers .* cascade of maker_id/);
    assert.match(warnings(['a.example'], rule, 'nullify')[0] ?? '', /asks no access\.rows\.update of them/);
    for (const [given, action, above] of [
      [rule, 'restrict', 'true'],
      [rule, 'cascade', rule],
      ['true', 'cascade', 'true'],
    ] as const)
      assert.deepEqual(warnings(['a.example'], given, action, above), []);
  });
});
