import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keyedHash } from '../../src/limits/keyed-hash.ts';
import { LeasedRateLimiter } from '../../src/limits/leased-rate-limiter.ts';
import { localLender } from '../../src/limits/lending-buckets.ts';
import { RedisLender } from '../../src/limits/redis-lender.ts';
import { LEND } from '../../src/limits/redis-scripts.ts';
import type { Observation } from '../../src/observe/observation.ts';
import type { RedisScript } from '../../src/platform/redis.ts';

const SECRET = '0123456789abcdef';
const SHARED_SECRET = 'fedcba9876543210';
const QUOTA = { requests: 90, per: 60_000 };

/** A lender on a Redis that answers as the test says. */
function setUp(instances = 3) {
  const observed: Observation[] = [];
  const asked: RedisScript[] = [];
  const redis: { answer: (script: RedisScript) => unknown } = { answer: () => SHARED_SECRET };
  const connection = {
    address: 'redis:6379',
    run: async (script: RedisScript): Promise<unknown> => {
      asked.push(script);
      return Promise.resolve(redis.answer(script));
    },
    close: () => undefined,
  };
  const now = (): number => 1_000;
  const fallback = localLender(SECRET, now);
  const observe = (observation: Observation): void => void observed.push(observation);
  const options = { redis: connection, name: 'shop', id: 'a', secret: SECRET, instances, fallback, observe };
  const lender = new RedisLender(options);
  const limiter = new LeasedRateLimiter({ limits: { caller: QUOTA, address: QUOTA }, lender, now });
  const admitted = async (requests: number, units = 1): Promise<number> => {
    let count = 0;
    for (let sent = 0; sent < requests; sent += 1) {
      if ((await limiter.take('caller', 'a', units)).admitted) count += 1;
    }
    return count;
  };
  return { observed, asked, redis, lender, admitted };
}

const lends = (units: number, lacking: number) => (script: RedisScript) =>
  script === LEND ? [units, lacking * 1_000] : SHARED_SECRET;

const refuses = (): never => {
  throw new Error('no answer');
};

describe('a lender of Redis', () => {
  it('[LIM-2d] hashes names as all instances do, once it has their secret', async () => {
    const { lender } = setUp();
    assert.deepEqual(lender.hash('a'), keyedHash(SECRET)('a'));
    assert.equal(await lender.join(), true);
    assert.deepEqual(lender.hash('a'), keyedHash(SHARED_SECRET)('a'));
  });

  it('[LIM-2d] lends what Redis lends', async () => {
    const { redis, lender, admitted } = setUp();
    redis.answer = lends(4, 60_000);
    await lender.join();
    assert.equal(await admitted(10), 4);
  });

  it('[LIM-2d] lends the share of one instance before Redis has answered', async () => {
    assert.equal(await setUp(3).admitted(200), 30);
  });

  it('[LIM-2d] lends the share while Redis is away, without asking it again, and says so once', async () => {
    const { redis, lender, admitted, asked, observed } = setUp(3);
    await lender.join();
    redis.answer = refuses;
    assert.equal(await admitted(200), 30);
    assert.equal(asked.length, 2);
    assert.equal(await lender.join(), false);
    const states = observed.map((each) => each.kind === 'shared-rate-limits' && each.failure?.message);
    assert.deepEqual(states, [undefined, 'no answer']);
  });

  it('[LIM-2d] borrows from Redis again when it is back, and says so', async () => {
    const { redis, lender, admitted, observed } = setUp();
    lender.setAway(new Error('away'));
    redis.answer = lends(4, 60_000);
    assert.equal(await lender.join(), true);
    assert.equal(await lender.join(), true);
    assert.equal(await admitted(10), 4);
    assert.deepEqual(
      observed.map((each) => each.kind === 'shared-rate-limits' && each.failure === null),
      [false, true],
    );
  });

  it('[LIM-2d] admits a request that counts more than the share, which takes all of it', async () => {
    const { admitted } = setUp(3);
    assert.equal(await admitted(3, 60), 1);
  });

  for (const reply of [null, 'OK', [1], ['1', '2']]) {
    it(`[LIM-2d] takes ${JSON.stringify(reply)} for no answer`, async () => {
      const { redis, lender, observed } = setUp();
      await lender.join();
      redis.answer = () => reply;
      const loan = await lender.borrow({ kind: 'caller', high: 1, low: 2, quota: QUOTA, units: 1 });
      assert.ok(loan.units >= 1);
      assert.equal(observed.length, 2);
    });
  }

  it('[LIM-2d] refuses a secret of another form', async () => {
    const { redis, lender } = setUp();
    redis.answer = () => 'secret';
    assert.equal(await lender.join(), false);
    assert.deepEqual(lender.hash('a'), keyedHash(SECRET)('a'));
  });
});
