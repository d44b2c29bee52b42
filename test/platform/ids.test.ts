import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { createIds } from '../../src/platform/ids.ts';
import { createRandom, type Random } from '../../src/platform/random.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ones: Random = { hex: (bytes) => 'ff'.repeat(bytes) };

describe('ids', () => {
  it('[REP-2] lays a UUIDv7 out as RFC 9562 5.7: time, version, counter, variant, random', () => {
    const ids = createIds({ clock: { now: () => 0x0192_f3a4_5b6c }, random: ones });
    assert.equal(ids.uuid(), '0192f3a4-5b6c-77ff-bfff-ffffffffffff');
  });

  it('[REP-2] orders ids as they were made, whatever the clock does', () => {
    const random = createRandom();
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 2 }), (times) => {
        let call = 0;
        const ids = createIds({ clock: { now: () => times[call++] ?? 0 }, random });
        const made = times.map(() => ids.uuid());
        assert.deepEqual(made.toSorted(), made);
        assert.equal(new Set(made).size, made.length);
        for (const id of made) assert.match(id, UUID_V7);
      }),
    );
  });

  it('[REP-2] takes the next millisecond early when the counter is full', () => {
    const ids = createIds({ clock: { now: () => 1_000 }, random: ones });
    const made = Array.from({ length: 5_000 }, () => ids.uuid());
    assert.deepEqual(made.toSorted(), made);
    assert.equal(new Set(made).size, made.length);
    assert.deepEqual(
      [...new Set(made.map((id) => id.slice(0, 13)))],
      ['00000000-03e8', '00000000-03e9', '00000000-03ea'],
    );
  });

  it('[REP-2] follows the clock again once it has passed the last id', () => {
    let now = 2_000;
    const ids = createIds({ clock: { now: () => now }, random: ones });
    const time = () => Number.parseInt(ids.uuid().slice(0, 13).replace('-', ''), 16);
    assert.equal(time(), 2_000);
    now = 1_000;
    assert.equal(time(), 2_000);
    now = 2_001;
    assert.equal(time(), 2_001);
  });

  it('keeps apart the ids of two processes that share a millisecond', () => {
    const make = () => createIds({ clock: { now: () => 1 }, random: createRandom() });
    const made = [make(), make()].flatMap((ids) => Array.from({ length: 2_000 }, () => ids.uuid()));
    assert.equal(new Set(made).size, made.length);
  });
});
