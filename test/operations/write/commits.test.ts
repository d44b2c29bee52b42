import { describe, it } from 'node:test';
import type { Store } from '../../../src/stores/store.ts';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { before } from '../../pipeline/support/rival.ts';
import { create, SHOP } from '../../pipeline/models/shop-model.ts';

/** The default of `handlerTimeout`, after which the client is sent 503. */
const HANDLER_TIMEOUT = 30_000;
/** A write that starts later could still run when the 503 is sent. */
const LATEST_START = 0.9 * HANDLER_TIMEOUT;

/** A shop with the note `a`, whose later writes wait before they reach the store. @param wait milliseconds */
async function waitingShop(wait: number): Promise<ApiUnderTest> {
  let delay = 0;
  const waiting = (store: Store): Store => before(store, () => shop.clock.advance(delay));
  const shop: ApiUnderTest = await apiUnderTest(SHOP, { breaking: waiting });
  await create(shop, 'notes', { id: 'a' });
  delay = wait;
  return shop;
}

const operations = [{ method: 'POST', path: '/notes', body: { id: 'b' } }];

describe('a write that waits for the store', () => {
  for (const [send, body] of [
    ['POST /api/v1/notes', { id: 'b' }],
    ['PUT /api/v1/notes/b', {}],
    ['PUT /api/v1/notes/a', { text: 'x' }],
    ['PATCH /api/v1/notes/a', { text: 'x' }],
    ['DELETE /api/v1/notes/a', undefined],
    ['POST /api/v1/batches', { operations }],
  ] as const) {
    it(`[ERR-7] does not start near or after its 503: ${send}`, async () => {
      for (const wait of [LATEST_START + 1, HANDLER_TIMEOUT, HANDLER_TIMEOUT + 1]) {
        await using shop = await waitingShop(wait);
        const expected = { has: { errorCode: 'SERVER_TIMEOUT' }, expectHeaders: { 'Retry-After': '1' }, events: [] };
        await shop.row({ send, body, status: 503, ...expected });
        await shop.row({ send: 'GET /api/v1/notes/b', status: 404 });
        await shop.row({ send: 'GET /api/v1/notes/a', status: 200, has: { text: null } });
      }
    });
  }

  it('[ERR-7] starts in the first nine tenths of its time', async () => {
    await using shop = await waitingShop(LATEST_START);
    await shop.row({ send: 'DELETE /api/v1/notes/a', status: 204, events: ['note.deleted'] });
  });
});
