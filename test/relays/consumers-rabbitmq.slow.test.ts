import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Connection } from 'rabbitmq-client';
import { skipWithout } from '../installed-programs.ts';
import { skipWithoutConsumers } from './consumers/consumer-process.ts';
import { assertOrdered, runConsumers } from './consumers/run-consumers.ts';
import { connectReader } from './rabbitmq-reader.ts';
import { type RabbitServer, startRabbit } from './rabbitmq-server.ts';

describe('the consumers of RabbitMQ', {
  skip: skipWithout('rabbitmq-server') || skipWithoutConsumers(),
  timeout: 180_000,
}, () => {
  let server: RabbitServer;
  let reader: Connection;
  const folder = mkdtempSync(path.join(tmpdir(), 'restwright-rabbitmq-'));
  before(async () => {
    server = await startRabbit(folder);
    reader = await connectReader(server.url);
  });
  after(async () => {
    await reader.close();
    await server.end();
    rmSync(folder, { recursive: true, force: true });
  });

  /** True if a queue has a consumer, which has bound it before. */
  const isConsumed = (queue: string): Promise<boolean> =>
    reader.queueDeclare({ queue, passive: true }).then(
      ({ consumerCount }) => consumerCount === 1,
      () => false,
    );

  it('[EVT-9c] in Node.js, Python and Go handle each event once, in order, through a crash', async (context) => {
    const log = await runConsumers(context, {
      broker: 'rabbitmq',
      relays: `[{ rabbitmq: '${server.url}', create: true }]`,
      groups: { '': { RABBITMQ_URL: server.url } },
      async untilBound(names) {
        for (const name of names) while (!(await isConsumed(name))) await setTimeout(50);
      },
    });
    assertOrdered(log);
  });
});
