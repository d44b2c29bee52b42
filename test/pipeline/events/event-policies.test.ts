import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EventEnvelope } from '../../../src/conventions/events/event.ts';
import { isStreamed } from '../../../src/exchange/handler.ts';
import { SeededRandom } from '../../../store-suite/seeded-random.ts';
import { type ApiUnderTest, apiUnderTest, rawRequest } from '../support/api-under-test.ts';
import { callerTokens } from '../support/caller-tokens.ts';
import {
  asCaller,
  asWriter,
  collectChanges,
  listExpected,
  listReceived,
  makeChanges,
  randomPolicies,
  READERS,
} from '../support/policy-changes.ts';
import { runs } from '../../extent.ts';

type Headers = Readonly<Record<string, string>>;

async function readPages(api: ApiUnderTest, headers: Headers): Promise<readonly EventEnvelope[]> {
  const events: EventEnvelope[] = [];
  for (let next: string | undefined = '/api/v1/events?limit=9'; next !== undefined; ) {
    const { body } = await api.send({ send: `GET ${next}`, headers });
    events.push(...body.data);
    next = body.links.next;
  }
  return events;
}

/** Reads the feed from the beginning, up to the last change. */
async function readFeed(api: ApiUnderTest, headers: Headers): Promise<readonly EventEnvelope[]> {
  const sent = { ...headers, Accept: 'text/event-stream', 'Last-Event-ID': '0' };
  const response = await api.api.handle(rawRequest({ send: 'GET /api/v1/events', headers: sent }));
  assert.ok(isStreamed(response));
  const events: EventEnvelope[] = [];
  for await (const part of response.body) {
    for (const [, data = ''] of part.matchAll(/^data: (.*)$/gm)) events.push(JSON.parse(data));
    if (events.at(-1)?.type === 'mark.created') break;
  }
  return events;
}

/**
 * Compares what readers see of random changes with the oracle.
 *
 * @param references of the paths of the policies
 * @returns what they see
 */
async function judge(seed: number, references: number): Promise<readonly string[]> {
  const random = new SeededRandom(seed);
  const { trees, isFull, model } = randomPolicies(random, references);
  await using api = await apiUnderTest(model, { tokens: callerTokens() });
  const units = await makeChanges(
    (method, path, body, headers) => api.send({ send: `${method} ${path}`, headers, body }),
    random,
    24,
  );
  const changes = collectChanges(units, (await readPages(api, asWriter())).slice(0, -1));
  const all: string[] = [];
  for (const reader of READERS) {
    const headers = asCaller(reader);
    const wanted = listExpected(changes, reader, trees);
    all.push(...wanted);
    for (const events of [await readPages(api, headers), await readFeed(api, headers)]) {
      const got = listReceived(events.slice(0, -1), isFull);
      const expected = isFull ? wanted : wanted.map((each) => each.replace('left', 'row'));
      assert.deepEqual(got, expected, `seed ${seed}, ${reader.subject}, ${JSON.stringify(trees)}`);
      assert.equal(events.at(-1)?.type, 'mark.created');
    }
  }
  return all;
}

/** The rows above and those below are seen, also for the last time. */
function assertVaried(seen: readonly string[]): void {
  for (const kind of [/ projects\/\w row/, / tasks\/\w row/, / projects\/\w left/, / tasks\/\w left/])
    assert.ok(
      seen.some((each) => kind.test(each.replace(/ projects\/\w\/tasks/, ' tasks'))),
      String(kind),
    );
}

describe('random row policies over random changes', () => {
  it('[EVT-8d] [AUTH-5a] show in pages and feeds the events of rows that were visible before or after, and no other', async () => {
    const seen: string[] = [];
    for (let seed = 1; seed <= runs(6, 12); seed += 1) seen.push(...(await judge(seed, 0)));
    assertVaried(seen);
  });

  it('[EVT-8d] [AUTH-5a] do so through references, and with the rules of rows above, by what held at the write', async () => {
    const seen: string[] = [];
    for (let seed = 101; seed <= 100 + runs(4, 16); seed += 1) seen.push(...(await judge(seed, 2)));
    assertVaried(seen);
  });
});
