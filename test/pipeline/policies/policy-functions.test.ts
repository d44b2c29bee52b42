import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineModel, resource } from '../../../src/model/typescript/define-model.ts';
import { PolicyError } from '../../../src/plan/policy/visibilities.ts';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { as, callerTokens } from '../support/caller-tokens.ts';

type Request = Parameters<ApiUnderTest['send']>[0];

const ANN = as({ subject: 'ann', claims: { tenant: 'acme' } });

describe('a policy function', () => {
  /** Throws for one caller, returns no policy for another, and what belongs to their tenant for the rest. */
  const policyOf = ({ subject, claims }: { readonly subject: string | null; readonly claims: object }) => {
    if (subject === 'bad') throw new Error('boom');
    if (subject === 'void') return undefined as unknown as object;
    return { tenant: 'tenant' in claims ? claims.tenant : undefined };
  };
  const AUTH = {
    issuers: [
      {
        name: 'test',
        issuer: 'https://id.example.com',
        audience: 'desk',
        hs256_secret: '0123456789abcdef0123456789abcdef',
      },
    ],
  };
  const schema = { type: 'object', properties: { tenant: { type: 'string' }, text: { type: 'string' } } } as const;
  const open = async (): Promise<ApiUnderTest> => {
    const access = { read: 'authenticated', write: 'authenticated', rows: { read: policyOf } } as const;
    const refers = { type: 'string', 'x-references': { resource: 'notes', as: 'note' } } as const;
    const model = defineModel({
      name: 'desk',
      auth: AUTH,
      limits: { rate: false },
      resources: {
        notes: resource({ id: 'client', schema, access }),
        parts: resource({
          id: 'client',
          parent: 'notes',
          schema,
          access: { read: 'authenticated', write: 'authenticated' },
        }),
        plain: resource({
          id: 'client',
          noun: true,
          schema: { type: 'object', properties: { note_id: refers } },
          access: { read: 'authenticated', write: 'authenticated' },
        }),
      },
    });
    const api = await apiUnderTest(model, { tokens: callerTokens() });
    const created = { send: 'POST /api/v1/notes', headers: ANN, body: { id: 'n', tenant: 'acme', text: 'of Ann' } };
    assert.equal((await api.send(created)).status, 201);
    assert.equal(
      (await api.send({ send: 'POST /api/v1/plain', headers: ANN, body: { id: 'x', note_id: 'n' } })).status,
      201,
    );
    return api;
  };
  const patch = { 'Content-Type': 'application/merge-patch+json' };
  const requests: readonly (Request & { readonly of?: 'result' | 'line' })[] = [
    { send: 'GET /api/v1/notes' },
    { send: 'HEAD /api/v1/notes?page=1' },
    { send: 'QUERY /api/v1/notes', headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'text=x' },
    { send: 'GET /api/v1/notes', headers: { Accept: 'application/x-ndjson' } },
    { send: 'GET /api/v1/notes', headers: { Accept: 'application/xml' } },
    { send: 'GET /api/v1/notes/n' },
    { send: 'GET /api/v1/notes/none' },
    { send: 'GET /api/v1/notes/n/parts' },
    { send: 'GET /api/v1/plain?expand=note' },
    { send: 'GET /api/v1/plain?note.text=x' },
    { send: 'GET /api/v1/events' },
    { send: 'POST /api/v1/notes', body: { id: 'm', text: 'x' } },
    { send: 'POST /api/v1/plain', body: { id: 'm', note_id: 'n' } },
    { send: 'PUT /api/v1/notes/n', body: { text: 'x' } },
    { send: 'PATCH /api/v1/notes/n', headers: patch, body: { text: 'x' } },
    { send: 'DELETE /api/v1/notes/n' },
    {
      send: 'POST /api/v1/batches',
      body: { atomic: true, operations: [{ method: 'DELETE', path: '/notes/n' }] },
    },
    {
      send: 'POST /api/v1/batches',
      body: { atomic: false, operations: [{ method: 'DELETE', path: '/notes/n' }] },
      of: 'result',
    },
    {
      send: 'POST /api/v1/notes',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: '{"id":"m"}\n',
      of: 'line',
    },
  ];
  for (const { of, ...request } of requests) {
    const { send, headers } = request;
    it(`[AUTH-5c] [ERR-7] that fails is a 500 which shows nothing, and the log has the cause: ${send} ${JSON.stringify(headers ?? request.body ?? '')}`, async () => {
      await using api = await open();
      for (const [subject, cause] of [
        ['bad', /^a policy of notes failed$/],
        ['void', /^a policy of notes returned no policy: .*true, false or an object/],
      ] as const) {
        for (let time = 0; time < 2; time += 1) {
          const seen = await api.send({
            ...request,
            headers: { ...as({ subject, scopes: ['events:read'], claims: { tenant: 'acme' } }), ...headers },
          });
          const status =
            of === 'result' ? seen.body.results[0].status : of === 'line' ? JSON.parse(seen.text).status : seen.status;
          assert.equal(status, 500, seen.text);
          assert.doesNotMatch(seen.text, /of Ann|boom|polic|true, false|\.ts/);
          const errors = api.observations.flatMap((each) => (each.kind === 'error' ? [each.error] : []));
          assert.equal(errors.length > 0, true);
          const error = errors.at(-1);
          assert.ok(error instanceof PolicyError && cause.test(error.message), String(error));
          if (subject === 'bad') assert.match(String(error.cause), /boom/);
          const theirs = await api.send({ send: 'GET /api/v1/notes', headers: ANN });
          assert.deepEqual([theirs.status, theirs.body.data.length, theirs.body.data[0].text], [200, 1, 'of Ann']);
          const none = await api.send({ send: 'GET /api/v1/notes', headers: as({ subject: 'eve' }) });
          assert.deepEqual([none.status, none.body.data], [200, []]);
        }
      }
    });
  }

  it('[AUTH-5c] that fails leaves the caller what it does not rule', async () => {
    await using api = await open();
    const bad = as({ subject: 'bad' });
    assert.equal((await api.send({ send: 'GET /api/v1/plain/x', headers: bad })).status, 200);
    assert.equal((await api.send({ send: 'OPTIONS /api/v1/notes', headers: bad })).status, 204);
  });

  it('[AUTH-5a] returns values: a claim that is the text of a name names no other claim', async () => {
    await using api = await open();
    const claims = { tenant: '$caller.claims.wanted', wanted: 'acme' };
    const headers = as({ subject: 'mal', claims });
    const { status, text } = await api.send({ send: 'GET /api/v1/notes', headers });
    assert.equal(status, 500);
    assert.ok(!text.includes('of Ann'));
  });
});
