import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createFetchHandler } from '../../../src/http/fetch.ts';
import { defineModel, startApi } from '../../../src/index.ts';
import { StoreUnavailable } from '../../../src/stores/store.ts';
import { apiUnderTest } from '../support/api-under-test.ts';

const NOTES = `
name: notes
resources:
  notes: { schema: { type: object, properties: { text: { type: string } } } }
`;

/** A message of a channel: the event, and the members that were there when it was published. */
type Message = Readonly<Record<string, unknown>>;

/** Records the messages that a channel publishes while a function runs. */
async function published(name: string, during: () => Promise<unknown>): Promise<readonly Message[]> {
  const messages: Message[] = [];
  const note = (event: string) => (context: object) => void messages.push({ event, ...context });
  const channel = tracingChannel(name);
  const subscribers = {
    start: note('start'),
    end: note('end'),
    asyncStart: note('asyncStart'),
    asyncEnd: note('asyncEnd'),
    error: note('error'),
  };
  channel.subscribe(subscribers);
  try {
    await during();
  } finally {
    channel.unsubscribe(subscribers);
  }
  return messages;
}

const eventsOf = (messages: readonly Message[]): readonly unknown[] => messages.map(({ event }) => event);

describe('the channel restwright:request', () => {
  it('[OPS-2c] publishes each request: its ids and path, with its end its route and status', async () => {
    await using api = await apiUnderTest(NOTES);
    const headers = {
      'X-Correlation-ID': 'mine',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    };
    const messages = await published('restwright:request', () =>
      api.send({ send: 'GET /api/v1/notes?limit=x', headers }),
    );
    const known = {
      method: 'GET',
      target: '/api/v1/notes',
      correlationId: 'mine',
      traceId: '0af7651916cd43dd8448eb211c80319c',
      parentId: 'b7ad6b7169203331',
    };
    assert.deepEqual(messages, [
      { event: 'start', ...known, route: null, status: null, errorCode: null },
      { event: 'end', ...known, route: '/api/notes', status: 400, errorCode: 'PAGINATION_LIMIT_INVALID' },
    ]);
  });

  it('[OPS-2c] publishes the end of a write after its commit', async () => {
    await using api = await apiUnderTest(NOTES);
    const messages = await published('restwright:request', () => api.send({ send: 'POST /api/v1/notes', body: {} }));
    assert.deepEqual(eventsOf(messages), ['start', 'end', 'asyncStart', 'asyncEnd']);
    assert.deepEqual([messages[1]?.['status'], messages[3]?.['status']], [null, 201]);
  });

  it('[OPS-2c] has a bound store in hooks', async () => {
    const store = new AsyncLocalStorage<unknown>();
    const seen: unknown[] = [];
    const model = defineModel({
      name: 'notes',
      resources: {
        notes: {
          schema: { type: 'object', properties: { text: { type: 'string' } } },
          before: {
            create: async () => {
              await setImmediate();
              seen.push(store.getStore());
            },
          },
        },
      },
    });
    await using opened = await startApi({ model, database: ':memory:', observe: () => undefined });
    const { start } = tracingChannel<object, unknown>('restwright:request');
    start.bindStore(store, (context) => ('correlationId' in context ? 'bound' : null));
    const handle = createFetchHandler(opened.api);
    await handle(
      new Request('http://localhost/api/v1/notes', {
        method: 'POST',
        body: '{}',
        headers: { 'Content-Type': 'application/json' },
      }),
    );
    start.unbindStore(store);
    assert.deepEqual(seen, ['bound']);
  });
});

describe('the channel restwright:store', () => {
  it('[OPS-2c] publishes reads and commits', async () => {
    await using api = await apiUnderTest(NOTES);
    const messages = await published('restwright:store', async () => {
      await api.send({ send: 'POST /api/v1/notes', body: {} });
      await api.send({ send: 'GET /api/v1/notes' });
    });
    const started = messages.filter(({ event }) => event === 'start');
    assert.deepEqual(
      started.map(({ operation, resource }) => [operation, resource]),
      [
        ['commit', null],
        ['list', 'notes'],
      ],
    );
    assert.equal(eventsOf(messages).includes('error'), false);
  });

  it('[OPS-2c] publishes what failed', async () => {
    const error = new StoreUnavailable('gone');
    await using api = await apiUnderTest(NOTES, {
      breaking: (store) => ({ ...store, rows: { ...store.rows, list: () => Promise.reject(error) } }),
    });
    const messages = await published('restwright:store', () => api.send({ send: 'GET /api/v1/notes' }));
    assert.deepEqual(eventsOf(messages), ['start', 'end', 'asyncStart', 'error', 'asyncEnd']);
    assert.equal(messages[3]?.['error'], error);
  });
});

describe('the channel restwright:delivery', () => {
  it('[OPS-2c] publishes each attempt', async () => {
    const delivered = Promise.withResolvers<void>();
    const model = defineModel({
      name: 'notes',
      resources: {
        notes: {
          schema: { type: 'object', properties: { text: { type: 'string' } } },
          after: { created: () => undefined },
        },
      },
    });
    await using opened = await startApi({
      model,
      database: ':memory:',
      observe: ({ kind }) => {
        if (kind === 'delivery') delivered.resolve();
      },
    });
    const handle = createFetchHandler(opened.api);
    const messages = await published('restwright:delivery', async () => {
      await handle(
        new Request('http://localhost/api/v1/notes', {
          method: 'POST',
          body: '{}',
          headers: { 'Content-Type': 'application/json' },
        }),
      );
      await delivered.promise;
    });
    const { endpoint, eventType, attempt, result } = messages.at(-1) ?? {};
    assert.deepEqual([endpoint, eventType, attempt, result], ['after:notes.created', 'note.created', 1, 'succeeded']);
  });
});

describe('Server-Timing', () => {
  it('[OPS-2c] has the durations of stages in development, and never otherwise', async () => {
    await using shown = await apiUnderTest(NOTES, { serverTiming: true });
    const timing = /^receive;dur=[0-9.]+, route;dur=.*execute;dur=[0-9.]+.*, represent;dur=[0-9.]+$/;
    await shown.row({ send: 'GET /api/v1/notes', status: 200, expectHeaders: { 'Server-Timing': timing } });
    const refused = /^receive;dur=[0-9.]+, refuse;dur=[0-9.]+$/;
    await shown.row({ send: 'GET /nothing', status: 404, expectHeaders: { 'Server-Timing': refused } });
    for (const setting of [{}, { traces: () => undefined }]) {
      await using hidden = await apiUnderTest(NOTES, setting);
      await hidden.row({ send: 'GET /api/v1/notes', status: 200, expectHeaders: { 'Server-Timing': null } });
    }
  });
});
