import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPlan, deletePlan, updatePlan } from '../../src/plan/write-plan.ts';
import { urlBuilder } from '../../src/plan/url-builder.ts';
import { compilePolicies, withResources } from '../model/policies.ts';

const { model } = compilePolicies(
  withResources(`  notes:
    access: { read: authenticated, write: authenticated, rows: { read: { any: [{ team: $caller.claims.team }, { title: { ne: secret } }] } } }
    schema: { type: object, required: [title], properties: { title: { type: string }, team: { type: string }, author: { type: string } } }
  tags:
    access: { read: authenticated, write: authenticated }
    schema: { type: object, properties: { name: { type: string } } }`),
);

const writer = { issuer: 'https://id.example.com', subject: 's', client: 'c' };
const author = {
  events: { model, urls: urlBuilder(model), base: () => ({ prefix: '', parameters: [] }), id: () => 'e' },
  origin: { correlationId: 'c', traceId: 't', actor: 's', at: '2026-01-02T03:04:05.678Z', writer },
};

function resourceOf(name: string) {
  const resource = model.resources.get(name);
  assert.ok(resource !== undefined);
  return resource;
}

describe('who may see an event', () => {
  const notes = { resource: resourceOf('notes'), within: [] };
  const system = { id: '1', created_at: author.origin.at, updated_at: author.origin.at, revision: 1 };
  const row = { ...system, title: 'a', team: 'x', author: 'me' };

  it('[EVT-8d] is stored with it: who wrote, and the columns that policies read, before and after', () => {
    const values = { title: 'a', team: 'x', author: 'me' };
    const read = { title: 'a', team: 'x' };
    const created = createPlan(author, { ...notes, id: '1' }, values);
    assert.deepEqual(created.event?.access, { writer, before: null, after: read });
    const updated = updatePlan(author, { ...notes, row }, { ...values, team: 'y' });
    assert.deepEqual(updated?.event?.access, { writer, before: read, after: { ...read, team: 'y' } });
    const deleted = deletePlan(author, { ...notes, row });
    assert.deepEqual(deleted.event?.access, { writer, before: read, after: null });
  });

  it('[EVT-8d] needs no columns where no policy reads any', () => {
    const created = createPlan(author, { resource: resourceOf('tags'), within: [], id: '1' }, { name: 'n' });
    assert.deepEqual(created.event?.access, { writer, before: null, after: null });
  });
});
