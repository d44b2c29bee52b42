import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EventQuery, LoggedEvent, Store } from '../src/stores/store.ts';
import { type OpenStore, withStore } from './open-store.ts';
import { commit, createProduct, createSupplier, eventDraft } from './sample-writes.ts';
import { SeededRandom } from './seeded-random.ts';

const EVENTS = 80;
const QUERIES = 300;
const FIRST = Date.parse('2026-01-02T00:00:00Z');
const TYPES = ['created', 'updated', 'deleted'];
const RESOURCES = ['products', 'suppliers'];

/**
 * Writes events of both resources: several of each row, each a second after the one before. @returns what the log has
 */
async function writeLog(store: Store, random: SeededRandom): Promise<readonly LoggedEvent[]> {
  const plans = Array.from({ length: EVENTS }, (_, index) => {
    const resource = random.pick(RESOURCES);
    const draft = eventDraft(random.pick(TYPES), resource, String(random.integer(9)));
    const at = FIRST + index * 1_000;
    const digits = at.toString(16).padStart(12, '0');
    const id = `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-${String(index).padStart(12, '0')}`;
    const event = { ...draft, id, payload: { ...draft.payload, timestamp: new Date(at).toISOString() } };
    const plan = resource === 'products' ? createProduct(`p${index}`) : createSupplier(`s${index}`);
    return { ...plan, event };
  });
  await commit(store, ...plans);
  return store.events.list({ after: 0, limit: EVENTS });
}

function randomQuery(random: SeededRandom): EventQuery {
  const time = (): number => FIRST + random.integer(EVENTS + 2) * 1_000 - random.integer(2);
  return {
    after: random.oneIn(2) ? 0 : random.integer(EVENTS),
    limit: 1 + random.integer(EVENTS),
    ...(random.oneIn(3) ? { until: random.integer(EVENTS + 9) } : {}),
    ...(random.oneIn(3) ? { types: TYPES.filter(() => random.oneIn(2)) } : {}),
    ...(random.oneIn(3) ? { resourceType: random.pick(RESOURCES) } : {}),
    ...(random.oneIn(3) ? { resourceId: String(random.integer(10)) } : {}),
    ...(random.oneIn(3) ? { from: time() } : {}),
    ...(random.oneIn(3) ? { to: time() } : {}),
  };
}

/** True if an event is one of a query, as its documentation says. */
function isSelected({ sequence, type, event: { payload } }: LoggedEvent, query: EventQuery): boolean {
  const { after, until = Infinity, types, resourceType, resourceId, from = -Infinity, to = Infinity } = query;
  const at = Date.parse(payload.timestamp);
  return (
    sequence > after &&
    sequence <= until &&
    (types?.includes(type) ?? true) &&
    (resourceType ?? payload.resource.type) === payload.resource.type &&
    (resourceId ?? payload.resource.id) === payload.resource.id &&
    at >= from &&
    at < to
  );
}

/** Queries of the log, compared with the whole log. */
export function logQuerySuite(name: string, open: OpenStore): void {
  describe(`${name}: queries of the event log`, () => {
    it(
      '[EVT-8a] select by type, resource, window of sequences and of time, in order, up to a limit',
      withStore(open, async (store) => {
        const random = new SeededRandom(1);
        const log = await writeLog(store, random);
        assert.equal(log.length, EVENTS);
        for (let count = 0; count < QUERIES; count += 1) {
          const query = randomQuery(random);
          const expected = log.filter((event) => isSelected(event, query)).slice(0, query.limit);
          const found = await store.events.list(query);
          assert.deepEqual(
            found.map(({ sequence, json }) => [sequence, json]),
            expected.map(({ sequence, json }) => [sequence, json]),
            JSON.stringify(query),
          );
        }
      }),
    );

    it(
      '[EVT-8a] find an event by its id, and those of sequences, each once and in order',
      withStore(open, async (store) => {
        const log = await writeLog(store, new SeededRandom(2));
        for (const { sequence, event } of log) assert.equal((await store.events.find(event.id))?.sequence, sequence);
        for (const id of ['0197a1f0-0000-7000-8000-000000000000', 'none', ''])
          assert.equal(await store.events.find(id), null);
        const some = await store.events.lookup([7, 3, 99_999, 7]);
        assert.deepEqual(
          some.map(({ sequence }) => sequence),
          [3, 7],
        );
        assert.deepEqual(await store.events.lookup([]), []);
      }),
    );
  });
}
