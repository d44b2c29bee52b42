import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../../support/api-under-test.ts';
import { NOTES, sevenNotes } from '../../models/desk-model.ts';

let desk: ApiUnderTest;
before(async () => {
  desk = await sevenNotes();
});
after(() => desk.close());

const get = (query: string): Promise<Seen> => desk.row({ send: `GET /api/v1/notes${query}`, status: 200 });

describe('a limit', () => {
  for (const name of ['limit', 'per_page']) {
    for (const [value, limit] of [
      ['1', 1],
      ['5', 5],
      ['6', 5],
      ['007', 5],
      ['99999999999999999999999', 5],
    ] as const) {
      it(`[PAGE-3] of ${name}=${value} is ${limit}, as reported in the page`, async () => {
        const { body } = await get(`?${name}=${value}`);
        assert.deepEqual([body['page']['limit'], body['data'].length], [limit, limit]);
      });
    }

    for (const value of ['0', '00', '-1', '1.5', '1e1', '0x5', '%2B5', '+5', '5+', '', 'five', 'NaN', '%D9%A5']) {
      it(`[PAGE-3] of ${name}=${value} is invalid, and the message has the range`, async () => {
        const { body } = await desk.row({
          send: `GET /api/v1/notes?${name}=${value}`,
          status: 400,
          has: {
            errorCode: 'PAGINATION_LIMIT_INVALID',
            details: [{ field: name, message: 'must be an integer from 1 to 5' }],
          },
        });
        assert.match(body['errorMessage'], /from 1 to 5/);
      });
    }
  }

  it('[PAGE-3] is 20 by default and 100 at most', async () => {
    await using plain = await apiUnderTest(NOTES.replace(/^limits:.*$/m, ''));
    await plain.api.importRows(
      'notes',
      Array.from({ length: 120 }, (_, index) => ({ id: `n${index}` })),
    );
    for (const [query, limit] of [
      ['', 20],
      ['?limit=100', 100],
      ['?limit=101', 100],
    ] as const) {
      const { body } = await plain.send({ send: `GET /api/v1/notes${query}` });
      assert.deepEqual([body['page']['limit'], body['data'].length], [limit, limit]);
    }
  });
});
