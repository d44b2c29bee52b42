import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { apiUnderTest } from '../../../pipeline/support/api-under-test.ts';
import { as, callerTokens } from '../../../pipeline/support/caller-tokens.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';

/**
 * As the version before had it, which wrote `without-related.db.gz`: notes `x` (created, updated) and `y` (created,
 * deleted), by bob, of a project of ann.
 */
const MODEL = `
name: desk
auth:
  issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }]
limits: { rate: false }
resources:
  projects: { id: client, schema: { type: object, properties: { owner: { type: string } } } }
  notes:
    id: client
    tombstones: 36500d
    access: { rows: { read: { any: [{ author: $caller.subject }, { project.owner: $caller.subject }] }, create: true, update: true, delete: true } }
    schema: { type: object, properties: { author: { type: string }, text: { type: string }, project_id: { type: string, x-references: projects } } }
`;

const SCOPES = ['events:read', 'notes:read', 'notes:write', 'projects:read', 'projects:write'];
const of = (subject: string, ...more: string[]) => as({ subject, scopes: [...SCOPES, ...more] });

describe('a database of the version that recorded nothing of related rows', () => {
  it('[OPS-4d] [EVT-8d] [MET-4b] has its events and tombstones, which are judged by what was recorded, and new ones that are judged by all', async (context) => {
    const database = path.join(temporaryDirectory(context), 'desk.db');
    writeFileSync(database, gunzipSync(readFileSync(new URL('without-related.db.gz', import.meta.url))));
    await using api = await apiUnderTest(MODEL, { database, tokens: callerTokens() });
    const changed = api.observations.flatMap((each) => (each.kind === 'schema-changed' ? each.statements : []));
    assert.equal(changed[0], 'drop table if exists restwright_attempts');
    const seen = async (headers: Readonly<Record<string, string>>): Promise<readonly string[]> => {
      const { body } = await api.send({ send: 'GET /api/v1/events?resource_type=note', headers });
      return body.data.map(
        (event: { type: string; payload: { resource: { id: string } } }) =>
          `${event.type} ${event.payload.resource.id}`,
      );
    };
    const older = ['note.created x', 'note.updated x', 'note.created y', 'note.deleted y'];
    assert.deepEqual(await seen(of('root', 'events:admin')), older);
    assert.deepEqual(await seen(of('bob')), older);
    assert.deepEqual(await seen(of('ann')), []);
    const gone = async (subject: string): Promise<number> =>
      (await api.send({ send: 'GET /api/v1/notes/y', headers: of(subject) })).status;
    assert.deepEqual([await gone('bob'), await gone('ann')], [410, 404]);
    const change = { send: 'PATCH /api/v1/notes/x', headers: of('bob'), body: { text: 'later' } };
    assert.equal((await api.send(change)).status, 200);
    assert.deepEqual(await seen(of('ann')), ['note.updated x']);
    assert.deepEqual(await seen(of('bob')), [...older, 'note.updated x']);
  });
});
