import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPlan, deletePlan, updatePlan } from '../../src/plan/write/write-plan.ts';
import { urlBuilder } from '../../src/plan/routes/url-builder.ts';
import { compilePolicies, withResources } from '../model/policies.ts';

const { model } = compilePolicies(
  withResources(`  notes:
    access: { read: authenticated, write: authenticated, rows: { read: { any: [{ team: $caller.claims.team }, { title: { ne: secret } }] } } }
    schema: { type: object, required: [title], properties: { title: { type: string }, team: { type: string }, author: { type: string } } }
  tags:
    access: { read: authenticated, write: authenticated }
    schema: { type: object, properties: { name: { type: string } } }
  projects:
    id: client
    access: { read: authenticated, write: authenticated, rows: { read: { tag.name: $caller.claims.tag } } }
    schema: { type: object, properties: { name: { type: string }, tag_id: { type: string, x-references: tags } } }
  tasks:
    id: client
    parent: projects
    access: { rows: { read: { any: [{ next.text: a }, { at.city: Oslo }, { created_at: { exists: true } }] } } }
    schema:
      type: object
      properties:
        text: { type: string }
        at: { type: object, properties: { city: { type: string } } }
        next_id: { type: string, x-references: { resource: tasks, as: next } }
  parts:
    parent: tasks
    schema: { type: object, properties: { text: { type: string } } }
  secrets:
    access: { read: authenticated, write: authenticated }
    schema: { type: object, properties: { name: { type: string }, code: { type: string, writeOnly: true }, picture: { type: string, contentEncoding: base64 } } }`),
  new Map([['secrets', { validate: null, rows: new Map([['read', () => true]]) }]]),
);

const writer = { issuer: 'https://id.example.com', subject: 's', client: 'c' };
const author = {
  events: { model, urls: urlBuilder(model), base: () => ({ prefix: '', parameters: [] }), id: () => 'e' },
  origin: { correlationId: 'c', traceId: 't', actor: 's', at: '2026-01-02T03:04:05.678Z', writer },
};

function findResource(name: string) {
  const resource = model.resources.get(name);
  assert.ok(resource !== undefined);
  return resource;
}

describe('who may see an event', () => {
  const notes = { resource: findResource('notes'), within: [] };
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
    const created = createPlan(author, { resource: findResource('tags'), within: [], id: '1' }, { name: 'n' });
    assert.deepEqual(created.event?.access, { writer, before: null, after: null });
  });

  it('[EVT-8d] has the fields that a function may compare: none that is write-only, and none without an order', () => {
    const values = { name: 'n', code: 'c', picture: 'AA==' };
    const created = createPlan(author, { resource: findResource('secrets'), within: [], id: '1' }, values);
    const { at } = author.origin;
    assert.deepEqual(created.event?.access?.after, { name: 'n', created_at: at, updated_at: at });
  });
});

describe('what is recorded of related rows', () => {
  const task = findResource('tasks');
  const within = [{ resource: 'projects', id: 'p' }];
  const project = {
    field: 'project_id',
    resource: 'projects',
    fields: [],
    related: [{ field: 'tag_id', resource: 'tags', fields: ['name'], related: [] }],
  };
  const next = { field: 'next_id', resource: 'tasks', fields: ['text'], related: [] };

  it('[EVT-8d] are the values that the policies of the resource and of those above it compare', () => {
    const values = { project_id: 'p', text: 'x', at: { city: 'Oslo' }, next_id: 'b' };
    const { related, event } = createPlan(author, { resource: task, within, id: 'a' }, values);
    assert.deepEqual(related, {
      related: [next, project],
      before: null,
      after: { next_id: ['b', 'p'], project_id: ['p'] },
    });
    assert.deepEqual(event?.access?.after, { at: { city: 'Oslo' }, created_at: author.origin.at });
  });

  it('[EVT-8d] are found by the references before and after the write', () => {
    const system = { id: 'a', created_at: author.origin.at, updated_at: author.origin.at, revision: 1 };
    const row = { ...system, project_id: 'p', text: 'x', at: null, next_id: 'b' };
    const updated = updatePlan(author, { resource: task, within, row }, { ...row, next_id: null });
    assert.deepEqual(updated?.related, {
      related: [next, project],
      before: { next_id: ['b', 'p'], project_id: ['p'] },
      after: { next_id: null, project_id: ['p'] },
    });
    const deleted = deletePlan(author, { resource: task, within, row });
    assert.deepEqual(deleted.related?.after, null);
    assert.deepEqual(deleted.related?.before, updated?.related?.before);
  });

  it('[EVT-8d] are found by the whole key of the row above, which a row has in hidden members', () => {
    const parts = findResource('parts');
    const system = { id: '1', created_at: author.origin.at, updated_at: author.origin.at, revision: 1 };
    const row = { ...system, task_id: 'a', text: 'x', 'above 1': 'p' };
    const updated = updatePlan(author, { resource: parts, within: [], row }, { task_id: 'a', text: 'y' });
    assert.deepEqual(updated?.related?.after, { task_id: ['a', 'p'] });
    assert.deepEqual(updated?.related?.related, [
      { field: 'task_id', resource: 'tasks', fields: ['at', 'created_at'], related: [next, project] },
    ]);
  });

  it('[EVT-8d] is nothing where no policy reads any, nor without an event', () => {
    const notes = { resource: findResource('notes'), within: [] };
    assert.ok(!('related' in createPlan(author, { ...notes, id: '1' }, { title: 'a' })));
    const silent = { ...author, events: null };
    assert.ok(!('related' in createPlan(silent, { resource: task, within, id: 'a' }, { project_id: 'p' })));
  });
});
