import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../../pipeline/support/api-under-test.ts';

const MODEL = `
name: desk
limits: { body: 4KiB }
resources:
  notes:
    id: client
    schema: { type: object, properties: { text: { type: string }, kind: { type: string } } }
`;

/** An API with a note so large that 16 of its results fit into a batch, and 17 do not. */
async function largeNote(): Promise<ApiUnderTest> {
  const desk = await apiUnderTest(MODEL);
  const body = { text: 'x'.repeat(3_800) };
  await desk.row({ send: 'PUT /api/v1/notes/a', body, status: 201, events: ['note.created'] });
  return desk;
}

/** Changes the note so many times. */
function changes(count: number): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({
    method: 'PATCH',
    path: '/notes/a',
    body: { kind: String(index) },
  }));
}

const events = (count: number): readonly string[] => Array.from({ length: count }, () => 'note.updated');

function readResults(
  seen: Seen,
): readonly { readonly status: number; readonly body: { readonly errorCode?: string } }[] {
  return seen.body['results'];
}

describe('the results of a batch', () => {
  for (const atomic of [true, false]) {
    it(`[MET-13] may be 16 times as large as a body: atomic ${atomic}`, async () => {
      await using desk = await largeNote();
      const body = { atomic, operations: changes(16) };
      const made = await desk.row({ send: 'POST /api/v1/batches', body, status: 201, events: events(16) });
      await desk.row({ send: `GET ${made.headers.get('location')}`, status: 200, expectBody: made.body });
    });
  }

  it('[MET-13] that are larger fail an atomic batch, and nothing is applied', async () => {
    await using desk = await largeNote();
    const { body } = await desk.row({
      send: 'POST /api/v1/batches',
      body: { atomic: true, operations: changes(17) },
      status: 413,
      has: { errorCode: 'REQUEST_BODY_TOO_LARGE' },
      events: [],
    });
    assert.match(body['errorMessage'], /^operations\[16\]: The results of the batch are too large/);
    await desk.row({ send: 'GET /api/v1/notes/a', status: 200, has: { kind: null } });
  });

  it('[MET-13] that are larger fail the later operations of an independent batch', async () => {
    await using desk = await largeNote();
    const made = await desk.row({
      send: 'POST /api/v1/batches',
      body: { atomic: false, operations: changes(20) },
      status: 201,
      has: { status: 'partially_failed' },
      events: events(17),
    });
    const failed = readResults(made).slice(17);
    assert.deepEqual(
      failed.map(({ status, body }) => [status, body.errorCode]),
      failed.map(() => [413, 'REQUEST_BODY_TOO_LARGE']),
    );
    await desk.row({ send: 'GET /api/v1/notes/a', status: 200, has: { kind: '16' } });
  });
});
