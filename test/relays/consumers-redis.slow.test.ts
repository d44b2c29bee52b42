import { describe, it } from 'node:test';
import { skipWithout } from '../installed-programs.ts';
import { startRedis } from '../redis-server.ts';
import { skipWithoutConsumers } from './consumers/consumer-process.ts';
import { assertOrdered, runConsumers } from './consumers/run-consumers.ts';

describe('the consumers of Redis Streams', {
  skip: skipWithout('redis-server') || skipWithoutConsumers(),
  timeout: 180_000,
}, () => {
  it('[EVT-9d] in Node.js, Python and Go handle each event once, in order, through a crash', async (context) => {
    const server = await startRedis();
    context.after(() => server.kill());
    const log = await runConsumers(context, {
      broker: 'redis',
      relays: `[{ redis: '${server.url}', create: true }]`,
      groups: { '': { REDIS_URL: server.url } },
      // A blocking read without entries ends after 5 s.
      idle: 6_000,
    });
    assertOrdered(log);
  });
});
