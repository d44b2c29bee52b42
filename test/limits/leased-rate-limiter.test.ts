import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LeasedRateLimiter, type Loan, type LoanRequest } from '../../src/limits/leased-rate-limiter.ts';
import { keyedHash } from '../../src/limits/keyed-hash.ts';
import { LendingBuckets } from '../../src/limits/lending-buckets.ts';
import { runs } from '../extent.ts';

const SECRET = '0123456789abcdef';

/** Several processes with one lender, on one clock. */
function processes(count: number, requests: number) {
  const clock = { time: 1_000 };
  const now = (): number => clock.time;
  const asked: LoanRequest[] = [];
  const buckets = new LendingBuckets(count, now);
  const borrow = async (request: LoanRequest): Promise<Loan> => {
    asked.push(request);
    return Promise.resolve(buckets.lend(request));
  };
  const quota = { requests, per: 60_000 };
  const limits = { caller: quota, address: quota };
  const lender = { isShared: false, hash: keyedHash(SECRET), borrow };
  const limiters = Array.from({ length: count }, () => new LeasedRateLimiter({ limits, lender, now }));
  const take = async (at: number, name = 'a', units = 1): Promise<boolean> => {
    const state = await limiters[at]?.take('caller', name, units);
    return state?.admitted === true;
  };
  return { clock, asked, limiters, take };
}

describe('the limiters of several processes', () => {
  it('[LIM-2d] together admit a quota within 10 %, however requests are distributed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 8 }),
        fc.integer({ min: 1, max: 700 }),
        fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 8, maxLength: 8 }),
        async (count, requests, weights) => {
          const { clock, take } = processes(count, requests);
          const order = weights.slice(0, count).flatMap((weight, at) => Array<number>(1 + (weight >> 7)).fill(at));
          const admitted: number[] = [];
          const minutes = 3;
          const total = requests * 2 * minutes + 20;
          for (let sent = 0; sent < total; sent += 1) {
            clock.time += (minutes * 60_000) / total;
            if (await take(order[(sent * 7) % order.length] ?? 0)) admitted.push(clock.time);
          }
          const most = requests + requests * minutes;
          assert.ok(admitted.length <= most * 1.1 + 1, `${admitted.length} of ${most}`);
          assert.ok(admitted.length >= most * 0.9 - 3, `${admitted.length} of ${most}`);
        },
      ),
      { numRuns: runs(5, 50) },
    );
  });

  it('[LIM-2d] admit no more than the quota together', async () => {
    const { take } = processes(4, 100);
    let admitted = 0;
    for (let sent = 0; sent < 400; sent += 1) if (await take(sent % 8 === 0 ? sent % 4 : 3)) admitted += 1;
    assert.ok(admitted <= 100 && admitted >= 90, String(admitted));
  });

  it('[LIM-2d] decide synchronously on what they have borrowed, and on what the lender refused', async () => {
    const { limiters, asked, take } = processes(2, 100);
    assert.equal(await take(0), true);
    assert.equal(asked.length, 1);
    for (let left = 3; left > 0; left -= 1) assert.ok(!(limiters[0]?.take('caller', 'a', 1) instanceof Promise));
    assert.equal(asked.length, 1);
    while (await take(0));
    const before = asked.length;
    assert.deepEqual(limiters[0]?.take('caller', 'a', 1), { admitted: false, remaining: 0, wait: 600 });
    assert.equal(asked.length, before);
  });

  it('[LIM-2d] borrow once for requests that arrive together', async () => {
    const { asked, take } = processes(2, 1_000);
    const all = await Promise.all(Array.from({ length: 40 }, () => take(1)));
    assert.ok(all.every(Boolean));
    assert.deepEqual(
      asked.map(({ units }) => units),
      [1],
    );
  });

  it('[LIM-2d] name what is left of the whole', async () => {
    const { limiters } = processes(2, 600);
    assert.deepEqual(await limiters[0]?.take('caller', 'a', 1), { admitted: true, remaining: 599, wait: 0 });
    assert.deepEqual(limiters[0]?.take('caller', 'a', 1), { admitted: true, remaining: 598, wait: 0 });
  });

  it('[LIM-2d] are given what another took with it when it died, as time passes', async () => {
    const { clock, take } = processes(2, 100);
    assert.equal(await take(0), true);
    while (await take(1));
    clock.time += 60_000;
    let admitted = 0;
    while (await take(1)) admitted += 1;
    assert.equal(admitted, 100);
  });

  it('[LIM-2d] do not add what they have borrowed to the next quota, to the millisecond', async () => {
    const { clock, take } = processes(2, 100);
    assert.equal(await take(0), true);
    clock.time += 60_000;
    let admitted = 0;
    while (await take(1)) admitted += 1;
    while (await take(0)) admitted += 1;
    assert.equal(admitted, 100);
  });

  it('[LIM-2d] borrow no more than a request lacks', async () => {
    const { asked, take } = processes(2, 100);
    assert.equal(await take(0), true);
    // Three of the four that were lent are left.
    assert.equal(await take(0, 'a', 10), true);
    assert.deepEqual(
      asked.map(({ units }) => units),
      [1, 7],
    );
  });

  it('[LIM-2d] take the whole weight of a request or nothing', async () => {
    const { take, limiters } = processes(2, 10);
    assert.equal(await take(0, 'a', 7), true);
    assert.equal(await take(1, 'a', 7), false);
    assert.equal(await take(1, 'a', 3), true);
    assert.equal(await take(0, 'b', 10), true);
    assert.equal(limiters[0]?.check('caller', 'b').admitted, false);
  });
});
