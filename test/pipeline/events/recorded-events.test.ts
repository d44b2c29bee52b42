import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { Store } from '../../../src/stores/store.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { type ApiUnderTest, apiUnderTest, type Setting } from '../support/api-under-test.ts';
import { as, callerTokens } from '../support/caller-tokens.ts';

/** @param read the policy of notes on reading */
const modelWith = (read: string): string => `
name: desk
auth:
  issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }]
limits: { rate: false }
resources:
  projects: { id: client, schema: { type: object, properties: { owner: { type: string }, members: { type: array, items: { type: string } } } } }
  notes:
    id: client
    events: full
    access: { rows: { read: ${read}, create: true, update: true, delete: true } }
    schema: { type: object, properties: { author: { type: string }, text: { type: string }, project_id: { type: string, x-references: projects } } }
`;
const OF_PROJECT = '{ any: [{ author: $caller.subject }, { project.owner: $caller.subject }] }';
const SCOPES = ['events:read', 'notes:read', 'notes:write', 'projects:read', 'projects:write'];
const of = (subject: string, ...more: string[]) => as({ subject, scopes: [...SCOPES, ...more] });
const ADMIN = of('root', 'events:admin');

const open = (read: string, setting: Setting = {}): Promise<ApiUnderTest> =>
  apiUnderTest(modelWith(read), { tokens: callerTokens(), ...setting });

async function done(api: ApiUnderTest, send: string, body?: unknown, headers = of('ann')): Promise<void> {
  const got = await api.send({ send, headers, body });
  assert.ok(got.status < 300, `${send}: ${got.text}`);
}

/** The events of notes that a caller sees: type and id, and whether the row has left its sight. */
async function seenBy(api: ApiUnderTest, headers: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { body } = await api.send({ send: 'GET /api/v1/events?resource_type=note&limit=100', headers });
  return body.data.map((event: { type: string; payload: { resource: { id: string }; data?: object } }) =>
    [event.type, event.payload.resource.id, ...(event.payload.data === undefined ? ['left'] : [])].join(' '),
  );
}

/** A store of an older server, which records nothing of related rows. */
function olderStore(store: Store): Store {
  const commit: Store['writes']['commit'] = (unit, deadline) =>
    store.writes.commit({ ...unit, plans: unit.plans.map(({ related: _related, ...plan }) => plan) }, deadline);
  return { ...store, writes: { ...store.writes, commit } };
}

describe('events under a policy that leads to another row', () => {
  it('[EVT-8d] are judged by what that row held at the write, whatever becomes of it', async () => {
    await using api = await open('{ project.owner: $caller.subject }');
    for (const [id, owner] of [
      ['p', 'ann'],
      ['q', 'bob'],
    ])
      await done(api, 'POST /api/v1/projects', { id, owner });
    await done(api, 'POST /api/v1/notes', { id: 'x', project_id: 'p' });
    await done(api, 'PATCH /api/v1/projects/p', { owner: 'eve' });
    await done(api, 'PATCH /api/v1/notes/x', { text: 'later' }, of('eve'));
    await done(api, 'PATCH /api/v1/notes/x', { project_id: 'q' }, of('eve'));
    await done(api, 'DELETE /api/v1/notes/x', undefined, of('bob'));
    await done(api, 'DELETE /api/v1/projects/p');
    await done(api, 'DELETE /api/v1/projects/q');
    assert.deepEqual(await seenBy(api, of('ann')), ['note.created x']);
    assert.deepEqual(await seenBy(api, of('eve')), ['note.updated x', 'note.updated x left']);
    assert.deepEqual(await seenBy(api, of('bob')), ['note.updated x', 'note.deleted x']);
  });

  it('[EVT-8d] are shown by what is recorded where an older server recorded nothing of that row', async () => {
    await using api = await open(OF_PROJECT, { breaking: olderStore });
    await done(api, 'POST /api/v1/projects', { id: 'p', owner: 'ann' });
    await done(api, 'POST /api/v1/notes', { id: 'x', author: 'bob', project_id: 'p' });
    assert.deepEqual(await seenBy(api, of('ann')), []);
    assert.deepEqual(await seenBy(api, of('bob')), ['note.created x']);
    assert.deepEqual(await seenBy(api, ADMIN), ['note.created x']);
  });

  it('[EVT-8d] are judged by the policy that there is now, as far as what it compares was recorded', async (context) => {
    const database = path.join(temporaryDirectory(context), 'desk.db');
    const first = await open(OF_PROJECT, { database });
    await done(first, 'POST /api/v1/projects', { id: 'p', owner: 'ann', members: ['eve'] });
    await done(first, 'POST /api/v1/notes', { id: 'x', author: 'bob', project_id: 'p' });
    await first.close();
    const members = '{ project.members: { contains: $caller.subject } }';
    await using api = await open(`{ any: [${members}, { author: $caller.subject }] }`, { database });
    await done(api, 'POST /api/v1/notes', { id: 'y', author: 'ann', project_id: 'p' });
    assert.deepEqual(await seenBy(api, of('eve')), ['note.created y']);
    assert.deepEqual(await seenBy(api, of('bob')), ['note.created x']);
    assert.deepEqual(await seenBy(api, ADMIN), ['note.created x', 'note.created y']);
  });

  it('[EVT-8d] compare the times of the row, too', async () => {
    await using api = await open(
      "{ created_at: { gte: '2026-01-02T03:04:05.678Z' }, updated_at: { lt: '2026-01-02T03:04:06Z' } }",
    );
    await done(api, 'POST /api/v1/notes', { id: 'x' });
    api.clock.advance(1_000);
    await done(api, 'PATCH /api/v1/notes/x', { text: 'later' });
    assert.deepEqual(await seenBy(api, of('ann')), ['note.created x', 'note.updated x left']);
  });
});
