import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';

const MODEL = `
name: desk
resources:
  notes: { id: client, schema: { type: object, properties: { text: { type: string, maxLength: 9000 } } } }
`;
const CODINGS = ['identity', 'br', 'gzip', 'zstd'] as const;

let desk: ApiUnderTest;
before(async () => {
  desk = await apiUnderTest(MODEL);
  await desk.send({ send: 'POST /api/v1/notes', body: { id: 'short', text: 'x' } });
});
after(() => desk.close());

async function readETag(send: string, coding: string, headers: Readonly<Record<string, string>> = {}) {
  const got = await desk.send({ send, headers: { ...headers, 'Accept-Encoding': coding } });
  return { status: got.status, etag: got.headers.get('etag') ?? '', coding: got.headers.get('content-encoding') };
}

/** Reads the ETags of GET by coding. Asserts that HEAD has the same, and that each gets a 304 with that ETag. */
async function readETags(target: string): Promise<readonly string[]> {
  const etags: string[] = [];
  for (const coding of CODINGS) {
    const got = await readETag(`GET ${target}`, coding);
    assert.equal(got.status, 200);
    assert.equal((await readETag(`HEAD ${target}`, coding)).etag, got.etag);
    const again = await readETag(`GET ${target}`, coding, { 'If-None-Match': got.etag });
    assert.deepEqual([again.status, again.etag], [304, got.etag], `${target} ${coding}`);
    const any = await readETag(`GET ${target}`, coding, { 'If-None-Match': '*' });
    assert.deepEqual([any.status, any.etag], [304, got.etag], `${target} ${coding}`);
    etags.push(got.etag);
  }
  return etags;
}

describe('an ETag follows the coding that was applied', () => {
  for (const target of ['/api', '/api/v1/notes/short', '/api/v1/notes', '/api/v1/notes?fields=text']) {
    it(`[NEG-7, CACHE-1] so that a body that is too short to be compressed has one: ${target}`, async () => {
      const etags = await readETags(target);
      assert.equal(new Set(etags).size, 1, etags.join(' '));
      for (const coding of CODINGS) {
        const got = await readETag(`GET ${target}`, coding, { 'If-None-Match': etags[0] ?? '' });
        assert.equal(got.status, 304, 'a client of another coding has the same bytes');
      }
    });
  }

  it('[NEG-7, CACHE-1] so that a long body has one in each coding, and none is taken for another', async () => {
    await using long = await apiUnderTest(MODEL);
    await long.send({ send: 'POST /api/v1/notes', body: { id: 'long', text: 'x'.repeat(5_000) } });
    for (const target of ['/api/v1/notes/long', '/api/v1/notes']) {
      const seen = new Map<string, string>();
      for (const coding of CODINGS) {
        const got = await long.send({ send: `GET ${target}`, headers: { 'Accept-Encoding': coding } });
        assert.equal(got.headers.get('content-encoding') ?? 'identity', coding);
        seen.set(coding, got.headers.get('etag') ?? '');
      }
      assert.equal(new Set(seen.values()).size, CODINGS.length);
      for (const [of, etag] of seen)
        for (const coding of CODINGS) {
          const headers = { 'Accept-Encoding': coding, 'If-None-Match': etag };
          const { status } = await long.send({ send: `GET ${target}`, headers });
          assert.equal(status, of === coding ? 304 : 200, `${of} requested as ${coding}`);
          const match = { 'Accept-Encoding': coding, 'If-Match': etag };
          const matched = await long.send({ send: `GET ${target}`, headers: match });
          assert.equal(matched.status, of === coding ? 200 : 412, `${of} requested as ${coding}`);
        }
    }
  });

  for (const [title, text] of [
    ['short', 'y'],
    ['long', 'y'.repeat(5_000)],
  ] as const) {
    it(`[CACHE-1, MET-1, MET-3] writes have the ETag of the GET that follows: ${title}`, async () => {
      await using api = await apiUnderTest(MODEL);
      for (const coding of CODINGS) {
        const headers = { 'Accept-Encoding': coding };
        const get = async () => (await api.send({ send: `GET /api/v1/notes/${coding}`, headers })).headers.get('etag');
        const body = { id: coding, text };
        const created = await api.send({ send: 'POST /api/v1/notes', headers, body });
        assert.equal(created.headers.get('etag'), await get());
        for (const prefer of ['return=representation', 'return=minimal']) {
          const patch = { text: `${text}${prefer}` };
          const send = `PATCH /api/v1/notes/${coding}`;
          const patched = await api.send({ send, headers: { ...headers, Prefer: prefer }, body: patch });
          assert.equal(patched.headers.get('etag'), await get(), prefer);
        }
      }
    });
  }

  it('[CACHE-3] a write accepts the ETag of any coding', async () => {
    const { etag } = await readETag('GET /api/v1/notes/short', 'br');
    const headers = { 'If-Match': etag, 'Accept-Encoding': 'gzip' };
    const { status } = await desk.send({ send: 'PATCH /api/v1/notes/short', headers, body: { text: 'z' } });
    assert.equal(status, 200);
  });

  it('[CACHE-3] If-Match of a POST accepts the ETag of its collection', async () => {
    await using api = await apiUnderTest(MODEL);
    for (const text of ['x', 'x'.repeat(5_000), 'x']) {
      const headers = { 'Accept-Encoding': 'br' };
      const etag = (await api.send({ send: 'GET /api/v1/notes', headers })).headers.get('etag') ?? '';
      const body = { id: `n${etag.slice(1, 8)}`, text };
      const { status } = await api.send({
        send: 'POST /api/v1/notes',
        headers: { ...headers, 'If-Match': etag },
        body,
      });
      assert.equal(status, 201);
    }
  });
});
