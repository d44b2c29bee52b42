import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Store } from '../../../../src/stores/store.ts';
import { type ApiUnderTest, apiUnderTest } from '../../support/api-under-test.ts';
import { as, callerTokens } from '../../support/caller-tokens.ts';

const HIDDEN = 'rows: { read: { tenant: $caller.claims.tenant } }';
const RELATED = 'rows: { read: { any: [{ tenant: $caller.claims.tenant }, { owner.tenant: $caller.claims.tenant }] } }';
const COUNT = 600;
const IDS = Array.from({ length: COUNT }, (_, index) => `t${index}`);
const headers = as({ subject: 'ann', claims: { tenant: 'a' } });

const model = (rows: string): string => `
name: desk
auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: desk, hs256_secret: 0123456789abcdef0123456789abcdef }] }
limits: { rate: false, items: 10000 }
resources:
  tags:
    id: client
    schema: { type: object, properties: { tenant: { type: string }, owner_id: { type: string, x-references: tags } } }
    access: { read: authenticated, write: authenticated, ${rows} }
  notes:
    id: client
    schema: { type: object, properties: { tag_ids: { type: array, items: { type: string, x-references: tags } } } }
    access: { read: authenticated, write: authenticated }
`;

/** A desk with many tags, one of another tenant, and the number of reads of its store since the last call. */
async function desk(rows: string): Promise<{ readonly api: ApiUnderTest; readonly reads: () => number }> {
  let reads = 0;
  const counted = (store: Store): Store => {
    const { rows: read } = store;
    const methods = ['item', 'list', 'lookup', 'missingReferences', 'missingAncestor'] as const;
    const wrapped = Object.fromEntries(
      methods.map((name) => [
        name,
        (plan: never) => {
          reads += 1;
          return read[name](plan);
        },
      ]),
    );
    return { ...store, rows: Object.assign(Object.create(read), wrapped) };
  };
  const api = await apiUnderTest(model(rows), { tokens: callerTokens(), breaking: counted });
  const lines = IDS.map((id) => JSON.stringify({ id, tenant: 'a' })).join('\n');
  await api.send({
    send: 'POST /api/v1/tags',
    headers: { ...headers, 'Content-Type': 'application/x-ndjson' },
    body: lines,
  });
  const other = as({ subject: 'bob', claims: { tenant: 'b' } });
  await api.send({ send: 'POST /api/v1/tags', headers: other, body: { id: 'hidden', tenant: 'b' } });
  await api.newEvents();
  reads = 0;
  return {
    api,
    reads: () => {
      const count = reads;
      reads = 0;
      return count;
    },
  };
}

describe('a body with thousands of references', () => {
  for (const [title, rows] of [
    ['', HIDDEN],
    [' by rows that they refer to', RELATED],
  ]) {
    it(`[MET-10] is judged by few reads of rows that may be hidden${title}`, async () => {
      const { api, reads } = await desk(rows ?? '');
      await using _ = api;
      const body = { id: 'n', tag_ids: [...IDS, ...IDS] };
      await api.row({ send: 'POST /api/v1/notes', headers, body, status: 201, events: ['note.created'] });
      assert.equal(reads(), 1);
      const patched = { tag_ids: ['none', ...IDS, 'hidden', 'none'] };
      const refused = await api.row({
        send: 'PATCH /api/v1/notes/n',
        headers: { ...headers, 'Content-Type': 'application/merge-patch+json' },
        body: patched,
        status: 400,
      });
      const fields = refused.body.details.map(({ field }: { readonly field: string }) => field);
      assert.deepEqual(fields, ['tag_ids[0]', `tag_ids[${COUNT + 1}]`, `tag_ids[${COUNT + 2}]`]);
      assert.equal(reads(), 3);
    });

    it(`[MET-13] is judged in an atomic batch by one read for each block${title}`, async () => {
      const { api, reads } = await desk(rows ?? '');
      await using _ = api;
      const operations = [
        { method: 'POST', path: '/tags', body: { id: 'new', tenant: 'a' } },
        { method: 'POST', path: '/notes', body: { id: 'n', tag_ids: ['new', ...IDS, ...IDS] } },
      ];
      const events = ['tag.created', 'note.created'];
      const sent = { send: 'POST /api/v1/batches', headers, body: { atomic: true, operations } };
      await api.row({ ...sent, status: 201, events });
      const count = reads();
      assert.ok(count > 0 && count <= COUNT / 20, `${count} reads`);
    });
  }
});
