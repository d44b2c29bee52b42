import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BucketTable } from '../../src/limits/bucket-table.ts';
import { keyedHash } from '../../src/limits/keyed-hash.ts';
import { LocalRateLimiter } from '../../src/limits/rate-limiter.ts';

const SECRET = '0123456789abcdef';
const limits = { caller: { requests: 3, per: 3_000 }, address: { requests: 2, per: 60_000 } };

function limiterAt(): { readonly limiter: LocalRateLimiter; readonly clock: { time: number } } {
  const clock = { time: 1_000 };
  return { limiter: new LocalRateLimiter({ limits, secret: SECRET, now: () => clock.time }), clock };
}

describe('the limiter of one process', () => {
  it('[LIM-2a] admits the quota of each caller, then refuses with the time to wait, and admits again after it', () => {
    const { limiter, clock } = limiterAt();
    assert.deepEqual(
      [1, 2, 3, 4].map(() => limiter.take('caller', 'a', 1)),
      [
        { admitted: true, remaining: 2, wait: 0 },
        { admitted: true, remaining: 1, wait: 0 },
        { admitted: true, remaining: 0, wait: 1_000 },
        { admitted: false, remaining: 0, wait: 1_000 },
      ],
    );
    assert.equal(limiter.take('caller', 'b', 1).admitted, true);
    clock.time += 999;
    assert.deepEqual(limiter.take('caller', 'a', 1), { admitted: false, remaining: 0, wait: 1 });
    clock.time += 1;
    assert.deepEqual(limiter.take('caller', 'a', 1), { admitted: true, remaining: 0, wait: 1_000 });
  });

  it('[LIM-2b] keeps callers, addresses and failed attempts apart', () => {
    const { limiter } = limiterAt();
    for (const kind of ['address', 'failure'] as const) {
      limiter.take(kind, '192.0.2.1', 2);
      assert.equal(limiter.check(kind, '192.0.2.1').admitted, false);
    }
    assert.equal(limiter.check('caller', '192.0.2.1').admitted, true);
  });

  it('[LIM-2b] takes nothing where it only checks', () => {
    const { limiter } = limiterAt();
    for (let times = 0; times < 10; times += 1) assert.equal(limiter.check('failure', 'a').remaining, 2);
  });

  it('[LIM-2a] puts back what was taken for nothing', () => {
    const { limiter } = limiterAt();
    limiter.take('caller', 'a', 3);
    limiter.giveBack('caller', 'a', 1);
    assert.equal(limiter.check('caller', 'a').remaining, 1);
  });
});

describe('the table of buckets', () => {
  const hash = keyedHash(SECRET);

  it('[LIM-2a] never fills a bucket that is displaced: it returns at least as empty as it left', () => {
    const table = new BucketTable(64);
    const hot = hash('hot');
    const slot = table.claim(hot);
    table.setFullAt(slot, 60_000);
    for (let other = 0; other < 10_000; other += 1) {
      const key = hash(`flood ${other}`);
      const found = table.find(key);
      const claimed = found === -1 ? table.claim(key) : found;
      table.setFullAt(claimed, 61_000 + other);
    }
    assert.equal(table.find(hot), -1);
    assert.ok(table.fullAt(table.claim(hot)) >= 60_000);
  });

  it('[LIM-2a] keeps a hot bucket while emptier ones exist nowhere but in its place', () => {
    const table = new BucketTable(8);
    const hot = hash('hot');
    table.setFullAt(table.claim(hot), 60_000);
    for (let other = 0; other < 1_000; other += 1) table.claim(hash(`flood ${other}`));
    assert.notEqual(table.find(hot), -1);
  });
});

describe('the hash of a name', () => {
  it('[LIM-2a] has other slots under another secret, for names that differ in anything', () => {
    const [one, two] = [keyedHash(SECRET), keyedHash('fedcba9876543210')];
    const names = ['', 'a', 'b', 'ab', 'ba', 'a\0', '\0', 'aa', 'aaa', 'é', '192.0.2.1', '192.0.2.2'];
    for (const hash of [one, two]) {
      assert.equal(new Set(names.map((name) => `${hash(name).high} ${hash(name).low}`)).size, names.length);
    }
    for (const name of names) assert.notDeepEqual(one(name), two(name));
  });

  it('[LIM-2a] spreads similar names evenly', () => {
    const hash = keyedHash(SECRET);
    const slots = new Uint32Array(64);
    for (let host = 0; host < 64_000; host += 1) {
      const slot = hash(`10.0.${host >> 8}.${host & 255}`).low & 63;
      slots[slot] = (slots[slot] ?? 0) + 1;
    }
    for (const count of slots) assert.ok(count > 800 && count < 1_200, String(count));
  });
});
