import assert from 'node:assert/strict';
import process from 'node:process';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Beside, RingBufferCache, textKey } from '../../src/cache/ring-buffer-cache.ts';
import { alike } from './equal-hashes.ts';

const MIB = 1_048_576;
const none = [0, 0, 0] as const;

function keep(texts: RingBufferCache, name: string, family: number, beside: Beside, text: string): void {
  texts.set(textKey(name, family), beside, text);
}

function textOf(texts: RingBufferCache, name: string, family: number): string | null {
  return texts.get(textKey(name, family))?.text ?? null;
}

function found(texts: RingBufferCache, name: string, family = 0): unknown {
  const kept = texts.get(textKey(name, family));
  return kept === null ? null : [kept.text, kept.beside(0), kept.beside(1), kept.beside(2)];
}

describe('kept texts', () => {
  it('[law] are the last ones of their keys, whatever else is kept, or gone', () => {
    const keys = fc.constantFrom('a', 'b', '', 'ab', 'ÿ', '東', '01890a5d-ac96-774b-bcce-b302099a8057');
    const keeping = fc.record({
      key: keys,
      family: fc.constantFrom(0, 1, -1, 2 ** 31 - 1),
      text: fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('x'.repeat(40_000), 'ü'.repeat(50_000))),
      beside: fc.tuple(fc.double(), fc.integer(), fc.constant(-0)),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(keeping, fc.nat(20)), { maxLength: 60 }), (operations) => {
        const texts = new RingBufferCache(MIB, { places: 3 * (MIB / 8) });
        const last = new Map<string, unknown>();
        for (const [{ key, family, text, beside }, toForget] of operations) {
          if (toForget === 0) texts.clear();
          keep(texts, key, family, beside, text);
          last.set(`${family} ${key}`, text.length > 43_000 ? null : [text.toWellFormed(), ...beside]);
          for (const [each] of operations) {
            const known = found(texts, each.key, each.family);
            if (known !== null) assert.deepEqual(known, last.get(`${each.family} ${each.key}`));
          }
        }
      }),
    );
  });

  it('take turns where the hashes of their keys are the same', () => {
    const [one, other] = alike();
    const texts = new RingBufferCache(MIB);
    keep(texts, one, 0, none, 'x');
    assert.deepEqual([textOf(texts, one, 0), textOf(texts, other, 0)], ['x', null]);
    keep(texts, other, 0, none, 'y');
    assert.deepEqual([textOf(texts, one, 0), textOf(texts, other, 0)], [null, 'y']);
  });

  it('are found as long as there is room for them', () => {
    const texts = new RingBufferCache(4 * MIB);
    const text = 'x'.repeat(450);
    const keys = Array.from({ length: 6_000 }, (_, index) => `key ${index}`);
    for (const key of keys) keep(texts, key, 1, none, text + key);
    const lost = keys.filter((key) => textOf(texts, key, 1) !== text + key);
    assert.ok(lost.length < 60, `${lost.length} of 6,000 texts were lost, which take 3 of 4 MiB`);
  });

  it('[LIM-1] go when there is no more room, the oldest first', () => {
    const texts = new RingBufferCache(4 * MIB);
    const text = 'x'.repeat(1_000);
    const keys = Array.from({ length: 20_000 }, (_, index) => `key ${index}`);
    for (const key of keys) keep(texts, key, 1, none, text);
    const left = keys.filter((key) => textOf(texts, key, 1) !== null);
    assert.ok(left.length > 2_500 && left.length < 4_100, `${left.length} texts of 1,000 characters are in 4 MiB`);
    assert.deepEqual(left.at(-1), keys.at(-1));
    assert.ok(Number(left[0]?.slice(4)) > 15_000);
  });

  it('stay where they are asked for again and again', () => {
    const texts = new RingBufferCache(4 * MIB);
    const text = 'ü'.repeat(500);
    keep(texts, 'asked for', 1, [1, 2, 3], 'the one');
    for (let index = 0; index < 20_000; index += 1) {
      keep(texts, `key ${index}`, 1, none, text);
      if (index % 100 === 0) assert.deepEqual(found(texts, 'asked for', 1), ['the one', 1, 2, 3]);
    }
  });

  it('[LIM-1] are forgotten once places are counted to their end, and kept as ever from then on', () => {
    const texts = new RingBufferCache(2 * MIB, { places: 4 * (MIB / 8) });
    const text = 'x'.repeat(1_000);
    let known = 0;
    for (let index = 0; index < 20_000; index += 1) {
      keep(texts, `key ${index}`, 1, none, text);
      assert.equal(textOf(texts, `key ${index}`, 1), text);
      if (textOf(texts, `key ${index - 100}`, 1) !== null) known += 1;
    }
    assert.ok(known > 19_000 && known < 19_900, `${known} of 20,000 were known a hundred texts later`);
  });

  it('[LIM-1] are gone with their memory at once when all are forgotten, and kept as ever from then on', () => {
    const texts = new RingBufferCache(8 * MIB);
    const taken = (): number => process.memoryUsage().arrayBuffers / MIB;
    for (const round of [1, 2]) {
      for (let index = 0; index < 8_000; index += 1) keep(texts, `key ${index}`, 1, none, 'x'.repeat(1_000));
      assert.notEqual(textOf(texts, 'key 7999', 1), null);
      const held = taken();
      texts.clear();
      assert.ok(held - taken() >= 7, `${held - taken()} of 8 MiB are given back in round ${round}`);
      assert.equal(textOf(texts, 'key 7999', 1), null);
    }
  });

  it('[LIM-1] are not kept where they are very long', () => {
    const texts = new RingBufferCache(4 * MIB);
    keep(texts, 'a', 1, none, 'x'.repeat(MIB));
    keep(texts, 'x'.repeat(MIB), 1, none, 'a');
    assert.equal(textOf(texts, 'a', 1), null);
    keep(texts, 'a', 1, none, 'x'.repeat(40_000));
    assert.equal(textOf(texts, 'a', 1)?.length, 40_000);
  });
});
