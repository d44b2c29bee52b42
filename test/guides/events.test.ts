import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { EventRetention } from '../../src/events/retention/retention.ts';
import { createFetchHandler } from '../../src/http/fetch.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createRandom } from '../../src/platform/random.ts';
import { printedByClient, type ServedGuide, servedGuide } from './guide-module.ts';
import { readBlocks, readPage } from './guide-pages.ts';

const [model = '', poller = '', client = ''] = readBlocks(readPage('docs/guides/events.md'), 'ts');

/** The comments of the calls that print. */
function promised(code: string): readonly string[] {
  return [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, comment = '']) => comment);
}

const LIMITED = model.replace("name: 'shop',", "name: 'shop',\n  events: { max_rows: 1024 },");

/** The function of the guide that polls the log, without the lines that show it. */
async function createPoll({ program }: ServedGuide, filter: string): Promise<() => Promise<readonly string[]>> {
  const [loop = ''] = poller.replace('limit=100', `limit=100${filter}`).split('async function create(');
  const module: unknown = await program(`${loop}export { poll };`);
  assert.ok(typeof module === 'object' && module !== null && 'poll' in module && typeof module.poll === 'function');
  const { poll } = module;
  return async () => {
    const found: unknown = await poll();
    assert.ok(Array.isArray(found));
    return found.map(String);
  };
}

/** Creates products. */
async function create({ opened: { api } }: ServedGuide, count: number): Promise<void> {
  const body = Array.from({ length: count }, (_, index) => JSON.stringify({ name: `p${index}` })).join('\n');
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const request = new Request('http://localhost/api/v1/products', { method: 'POST', body, headers });
  // The rows are created while the response is read.
  const results = await (await createFetchHandler(api)(request)).text();
  assert.equal(results.match(/"status":201/g)?.length, count, results.slice(0, 300));
}

/** Removes the events that are more than the model stores. */
async function removeOld({ opened: { api, store } }: ServedGuide): Promise<void> {
  const { events: settings } = api.model;
  const parts = { store, settings, subscribers: [], clock: systemClock, random: createRandom() };
  await new EventRetention({ ...parts, observe: () => undefined }).run();
  assert.ok((await store.events.range()).removed >= 2_048);
}

/** The guide's program beside a log of 1,024 events. */
async function pollLimited(
  context: TestContext,
  filter: string,
  run: (guide: ServedGuide, poll: () => Promise<readonly string[]>) => Promise<void>,
): Promise<void> {
  // Without the retention of the API, which removes events each ten seconds: in the middle of a slow test.
  await using guide = await servedGuide(context, LIMITED, { dispatch: false });
  await run(guide, await createPoll(guide, filter));
}

describe('the guide to events', () => {
  it('[EVT-8a] has a program that polls the log, and gets each event once', async (context) => {
    for (const limit of ['limit=100', 'limit=1']) {
      const printed = await printedByClient(context, { model, client: poller.replace('limit=100', limit) });
      assert.deepEqual(printed, promised(poller), limit);
    }
  });

  it('[EVT-8a] [EVT-8c] has a program that learns of events that it has lost', async (context) => {
    await pollLimited(context, '', async (guide, poll) => {
      await create(guide, 3);
      assert.deepEqual(await poll(), ['product.created p0', 'product.created p1', 'product.created p2']);
      await create(guide, 3_500);
      await removeOld(guide);
      const [first, ...found] = await poll();
      assert.match(first ?? '', /^events were lost/);
      assert.equal(found.length, 3_503 - 2_048);
      assert.equal(found.at(-1), 'product.created p3499');
    });
  });

  it('[EVT-8a] [EVT-8c] has a program that is up to date also while it finds nothing', async (context) => {
    await pollLimited(context, '&type=product.deleted', async (guide, poll) => {
      for (const count of [3, 1_500, 2_000]) {
        await create(guide, count);
        assert.deepEqual(await poll(), []);
      }
      await removeOld(guide);
      assert.deepEqual(await poll(), []);
    });
  });

  it('has a reader of the feed that prints what its comment says', async (context) => {
    const printed = await printedByClient(context, { model, client });
    assert.deepEqual(printed, promised(client));
  });
});
