import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { loadModel } from '../../src/model/compile/load-model.ts';
import type { Observation } from '../../src/observe/observation.ts';
import { startApi } from '../../src/start-api.ts';
import { skipWithout } from '../installed-programs.ts';
import { rawRequest, seen } from '../pipeline/support/api-under-test.ts';
import { PostgresSchemas } from '../postgres-schemas.ts';
import { startPostgres } from '../postgres-server.ts';
import { startRedis } from '../redis-server.ts';
import { TcpRelay } from '../tcp-relay.ts';

const postgres = await startPostgres();
const schemas = new PostgresSchemas();
after(async () => {
  await schemas.drop(postgres.url('public'));
  await postgres.stop();
});

const REQUESTS = 200;
const { model } = loadModel({
  text: `
name: notes
limits: { rate: { requests: ${REQUESTS}, per: 1d, instances: 2 } }
resources: { notes: { schema: { type: object, properties: { text: { type: string } } } } }
`,
});

/** Milliseconds that no answer takes, whatever Redis does: it has 250 to answer. */
const LONGEST = 5_000;

describe('two instances on PostgreSQL, whose Redis is slow', { skip: skipWithout('redis-server') }, () => {
  for (const [what, delay, expected] of [
    ['slow: one quota', 50, REQUESTS],
    ['too slow: the share of each instance', 1_000, REQUESTS / 2],
  ] as const) {
    it(`[LIM-2d] admit by rate, and fail no request: ${what}`, async () => {
      const redis = await startRedis();
      const relay = await TcpRelay.start({ host: '127.0.0.1', port: Number(new URL(redis.url).port) });
      const observed: Observation[] = [];
      const database = postgres.url(schemas.name(`redis_${delay}`));
      const open = () =>
        startApi({
          model,
          database,
          dispatch: false,
          redis: `redis://127.0.0.1:${relay.port}`,
          observe: (each) => void (each.kind === 'shared-rate-limits' && observed.push(each)),
        });
      const instances = [await open(), await open()];
      try {
        relay.delay = delay;
        // One instance alone is asked: for the whole quota, or its share.
        const [one = assert.fail()] = instances;
        const statuses: number[] = [];
        for (let sent = 0; sent < REQUESTS * 1.5; sent += 1) {
          const row =
            sent % 2 === 0 ? { send: 'GET /api/v1/notes' } : { send: 'POST /api/v1/notes', body: { text: 'x' } };
          const begun = performance.now();
          const { status } = await seen(await one.api.handle(rawRequest(row)));
          assert.ok(performance.now() - begun < LONGEST, `${performance.now() - begun} ms`);
          statuses.push(status);
        }
        assert.deepEqual(new Set(statuses), new Set([200, 201, 429]));
        const admitted = statuses.filter((status) => status !== 429).length;
        assert.ok(admitted >= expected * 0.9 && admitted <= expected * 1.1, String(admitted));
        relay.delay = 0;
        while (!isShared(observed)) await setTimeout(100);
      } finally {
        for (const each of instances) await each.close();
        await relay.close();
        await redis.kill();
      }
    });
  }
});

function isShared(observed: readonly Observation[]): boolean {
  const last = observed.at(-1);
  return last?.kind === 'shared-rate-limits' && last.failure === null;
}
