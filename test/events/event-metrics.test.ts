import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventMetrics } from '../../src/events/event-metrics.ts';
import { createFetchHandler } from '../../src/http/fetch.ts';
import { createMetrics, defineModel, startApi } from '../../src/index.ts';
import { writeExposition } from '../../src/observe/metrics/exposition.ts';

/** A store whose log has ten events. */
const store = (reader: number | null, waiting: number) => ({
  events: { range: () => ({ removed: 4, last: 10, since: 0 }) },
  deliveries: {
    reader: () =>
      reader === null ? null : { sequence: reader, lease: { reader: 'after', owner: '', until: 0, isClean: true } },
    waiting: () => Array.from({ length: waiting }, (_, due) => ({ endpoint: `after:${due}`, due })),
  },
});

describe('metrics of events', () => {
  const rows: readonly (readonly [reader: number | null, waiting: number, lag: number])[] = [
    [10, 0, 0],
    [7, 2, 3],
    [null, 0, 0],
  ];
  for (const [reader, waiting, lag] of rows) {
    it(`[OPS-2b] have the lag of a reader at ${reader}, and its subscriptions that wait`, async () => {
      const text = writeExposition(await eventMetrics(store(reader, waiting), ['after'])());
      assert.match(text, new RegExp(`^restwright_events_lag\\{reader="after"\\} ${lag}$`, 'm'));
      assert.match(text, /^restwright_events_stored 6$/m);
      assert.match(text, new RegExp(`^restwright_subscriptions_waiting\\{reader="after"\\} ${waiting}$`, 'm'));
    });
  }

  it('[OPS-2b] have deliveries to hooks by their results', async () => {
    const delivered = Promise.withResolvers<void>();
    const model = defineModel({
      name: 'notes',
      resources: {
        notes: {
          schema: { type: 'object', properties: { text: { type: 'string' } } },
          after: { created: () => delivered.resolve() },
        },
      },
    });
    const metrics = createMetrics();
    await using opened = await startApi({ model, database: ':memory:', observe: () => undefined, metrics });
    const headers = { 'Content-Type': 'application/json' };
    const request = new Request('http://localhost/api/v1/notes', { method: 'POST', body: '{}', headers });
    await createFetchHandler(opened.api)(request);
    await delivered.promise;
    for (let time = 0; time < 200; time += 1) {
      if (/^restwright_delivery_duration_seconds_count\{result="succeeded"\} 1$/m.test(await metrics.text())) break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const text = await metrics.text();
    assert.match(text, /^restwright_delivery_duration_seconds_count\{result="succeeded"\} 1$/m);
    assert.match(text, /^restwright_delivery_lag_seconds_count 1$/m);
    assert.match(text, /^restwright_events_lag\{reader="after"\} [01]$/m);
    metrics.close();
  });
});
