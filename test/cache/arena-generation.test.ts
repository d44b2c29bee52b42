import assert from 'node:assert/strict';
import process from 'node:process';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ArenaGeneration, type Packed, packedBytes } from '../../src/cache/arena-generation.ts';
import { type Cache, createCache } from '../../src/cache/cache.ts';
import { cacheLaws } from './cache-laws.ts';

const MIB = 1_048_576;
const KIB = 1_024;

function arenaCache(maxWeight: number): Cache<Packed> {
  return createCache({
    maxWeight,
    weigh: packedBytes,
    generations: 4,
    newGeneration: (bytes) => new ArenaGeneration(bytes),
  });
}

const packed = (text: string): Packed => ({ numbers: [0, 0, 0], text });

describe('a cache in arenas', () => {
  cacheLaws({
    create: () => arenaCache(64 * KIB),
    value: (number, size): Packed => ({ numbers: [number, -0, size], text: 'ü'.repeat(Math.round(size * 450)) }),
    weigh: packedBytes,
    maxWeight: 64 * KIB,
  });

  it('[law] [CACHE-1] returns strings and numbers as they were set', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string());
    fc.assert(
      fc.property(text, fc.tuple(fc.double(), fc.integer(), fc.constant(-0)), (string, numbers) => {
        const cache = arenaCache(MIB);
        const value: Packed = { numbers, text: string };
        cache.set('a', value);
        assert.deepEqual(cache.get('a'), { numbers, text: string.toWellFormed() });
      }),
    );
  });

  it('[LIM-1] holds the entries that there is room for, and evicts the oldest', () => {
    const cache = arenaCache(4 * MIB);
    const keys = Array.from({ length: 20_000 }, (_, index) => `key ${index}`);
    for (const key of keys) cache.set(key, packed('x'.repeat(1_000)));
    const held = keys.filter((key) => cache.get(key) !== undefined);
    assert.ok(held.length > 2_900 && held.length < 4_100, `${held.length} strings of 1,000 characters in 4 MiB`);
    assert.equal(held.at(-1), keys.at(-1));
    assert.ok(Number(held[0]?.slice(4)) > 15_000);
  });

  it('[LIM-1] holds short entries within its bound too', () => {
    const cache = arenaCache(MIB);
    for (let index = 0; index < 50_000; index += 1) cache.set(`key ${index}`, packed(''));
    const room = MIB / packedBytes(packed(''), 'key 12345');
    let held = 0;
    for (let index = 0; index < 50_000; index += 1) if (cache.get(`key ${index}`) !== undefined) held += 1;
    assert.ok(held > room / 2 && held <= room, `${held} of ${room}`);
  });

  it('[LIM-1] returns its memory to the system as soon as it is cleared', () => {
    const cache = arenaCache(8 * MIB);
    const allocated = (): number => process.memoryUsage().arrayBuffers / MIB;
    for (const round of [1, 2]) {
      for (let index = 0; index < 8_000; index += 1) cache.set(`key ${index}`, packed('x'.repeat(1_000)));
      assert.notEqual(cache.get('key 7999'), undefined);
      const before = allocated();
      cache.clear();
      assert.ok(before - allocated() >= 7, `${before - allocated()} of 8 MiB are returned in round ${round}`);
      assert.equal(cache.get('key 7999'), undefined);
    }
  });

  it('[LIM-1] allocates nothing before its first entry', () => {
    const before = process.memoryUsage().arrayBuffers;
    const cache = arenaCache(64 * MIB);
    assert.equal(cache.get('a'), undefined);
    assert.ok(process.memoryUsage().arrayBuffers - before < MIB);
  });
});
