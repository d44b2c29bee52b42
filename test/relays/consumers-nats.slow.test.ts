import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { skipWithout } from '../installed-programs.ts';
import { skipWithoutConsumers } from './consumers/consumer-process.ts';
import { assertOrdered, runConsumers } from './consumers/run-consumers.ts';
import { startNats } from './nats-server.ts';

describe('the consumers of NATS', {
  skip: skipWithout('nats-server') || skipWithoutConsumers(),
  timeout: 180_000,
}, () => {
  it('[EVT-9a] in Node.js, Python and Go handle each event once, in order, through a crash', async (context) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'restwright-nats-'));
    const server = await startNats({ folder });
    context.after(async () => {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    });
    const log = await runConsumers(context, {
      broker: 'nats',
      relays: `[{ nats: '${server.url}', stream: SHOP, create: true }]`,
      groups: { '': { NATS_URL: server.url } },
    });
    assertOrdered(log);
  });
});
