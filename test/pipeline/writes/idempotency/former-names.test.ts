import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../../support/api-under-test.ts';
import { as, callerTokens } from '../../support/caller-tokens.ts';

const MODEL = `
name: shop
auth: { issuers: [{ issuer: 'https://id.example.com:8443/', audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }] }
limits: { rate: false }
resources:
  notes: { id: client, schema: { type: object, properties: { text: { type: string } } } }
`;

const scopes = ['notes:read', 'notes:write'];
const FORMER = 'id.example.com:8443';
const PRESENT = 'id.example.com~8443';
const KEY = { 'Idempotency-Key': 'k' };
const NDJSON = { 'Content-Type': 'application/x-ndjson' };
const operations = [{ method: 'POST', path: '/notes', body: { id: 'a' } }];

type Request = Parameters<ApiUnderTest['send']>[0];

/** Requests that write a note once. */
const KEYED: readonly Request[] = [
  { send: 'POST /api/v1/notes', headers: KEY, body: { id: 'a', text: 'x' } },
  { send: 'POST /api/v1/notes', headers: { ...KEY, Expect: '100-continue' }, body: { id: 'a', text: 'x' } },
  { send: 'POST /api/v1/notes', headers: { ...KEY, ...NDJSON }, body: '{"id":"a"}\n' },
  { send: 'POST /api/v1/batches', headers: KEY, body: { operations } },
  { send: 'POST /api/v1/batches', headers: KEY, body: { atomic: false, operations } },
];

describe('a record of a caller whose issuer had a name with a colon', () => {
  for (const request of KEYED) {
    it(`[MET-12] [AUTH-9b] is replayed for the same caller alone: ${JSON.stringify(request)}`, async () => {
      await using api = await apiUnderTest(MODEL, { tokens: callerTokens() });
      const send = (issuer: string, subject = 'ann'): ReturnType<ApiUnderTest['send']> =>
        api.send({ ...request, headers: { ...request.headers, ...as({ issuer, subject, scopes }) } });
      const earlier = await send(FORMER);
      const later = await send(PRESENT);
      assert.deepEqual([later.status, later.text.replace(',"replayed":true', '')], [earlier.status, earlier.text]);
      assert.equal(later.headers.get('idempotent-replayed') === 'true' || later.text.includes('"replayed":true'), true);
      for (const other of [await send(PRESENT, 'bob'), await send('id~example.com~8443')]) {
        assert.notEqual(other.text, earlier.text);
        assert.notEqual(other.headers.get('idempotent-replayed'), 'true');
      }
    });
  }

  it('[MET-13] [AUTH-9b] is read by the same caller, if it is of a batch', async () => {
    await using api = await apiUnderTest(MODEL, { tokens: callerTokens() });
    const headers = (issuer: string, subject = 'ann'): Record<string, string> => as({ issuer, subject, scopes });
    const made = await api.send({ send: 'POST /api/v1/batches', headers: headers(FORMER), body: { operations } });
    const read = { send: `GET ${made.headers.get('location')}` };
    assert.equal((await api.send({ ...read, headers: headers(PRESENT) })).status, 200);
    assert.equal((await api.send({ ...read, headers: headers(PRESENT, 'bob') })).status, 404);
  });
});
