import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isJsonObject, type Json } from '../../../src/conventions/json/json.ts';
import { jsonEquals } from '../../../src/conventions/json/json-equality.ts';
import { mergePatch } from '../../../src/conventions/json/merge-patch.ts';

describe('mergePatch', () => {
  // The cases of RFC 7396, Appendix A.
  const rows: readonly (readonly [target: Json, patch: Json, result: Json])[] = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    // A case that the RFC lacks: members of a nested object that are not in the patch.
    [{ a: { b: 1, c: { d: 2, e: 3 } } }, { a: { c: { d: 4 } } }, { a: { b: 1, c: { d: 4, e: 3 } } }],
  ];
  for (const [target, patch, result] of rows) {
    it(`[MET-3] merges ${JSON.stringify(patch)} into ${JSON.stringify(target)}`, () =>
      assert.deepEqual(mergePatch(target, patch), result));
  }

  it('[MET-3] keeps the order of the target, new members last', () => {
    const merged = mergePatch({ c: 1, b: 2, a: 3 }, { z: 1, a: 4, c: 5, b: null });
    assert.equal(JSON.stringify(merged), '{"c":5,"a":4,"z":1}');
  });

  it('[REP-7] treats a member named __proto__ as data', () => {
    const patch: Json = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
    const merged = mergePatch({}, patch);
    assert.equal(JSON.stringify(merged), JSON.stringify(patch));
    assert.equal(Object.getPrototypeOf(merged), Object.prototype);
    assert.equal(Reflect.get({}, 'polluted'), undefined);
  });

  const json = fc.jsonValue({ maxDepth: 4 }).map((value): Json => JSON.parse(JSON.stringify(value)));

  it('[MET-3] is idempotent', () => {
    const law = fc.property(json, json, (target, patch) => {
      const once = mergePatch(target, patch);
      assert.ok(jsonEquals(mergePatch(once, patch), once));
    });
    fc.assert(law);
  });

  it('[MET-3] changes neither argument', () => {
    const law = fc.property(json, json, (target, patch) => {
      const before = JSON.stringify([target, patch]);
      mergePatch(target, patch);
      assert.equal(JSON.stringify([target, patch]), before);
    });
    fc.assert(law);
  });

  it('[MET-3] turns any value into any other without nulls by their difference', () => {
    const law = fc.property(json, json.map(withoutNulls), (target, wanted) =>
      assert.ok(jsonEquals(mergePatch(target, difference(target, wanted)), wanted)),
    );
    fc.assert(law);
  });
});

/** A merge patch has no way to set a member to null. */
function withoutNulls(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}

function difference(from: Json, to: Json): Json {
  if (!isJsonObject(to) || !isJsonObject(from)) return to;
  const removed = Object.keys(from).filter((name) => !Object.hasOwn(to, name));
  const changed = Object.entries(to).map(([name, value]): [string, Json] => {
    const before = Object.hasOwn(from, name) ? from[name] : undefined;
    return [name, difference(before ?? null, value)];
  });
  return Object.fromEntries([...removed.map((name): [string, Json] => [name, null]), ...changed]);
}
