import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../../../src/conventions/json/json.ts';
import { applyJsonPatch, MAX_OPERATIONS, parseJsonPatch } from '../../../src/conventions/json/json-patch.ts';
import { threadTime } from '../../thread-time.ts';

const apply = (document: Json, patch: Json) => {
  const parsed = parseJsonPatch(patch);
  assert.ok(parsed.kind === 'operations');
  return applyJsonPatch(document, parsed.operations);
};

describe('MutableDocument', () => {
  it('[LIM-1] stops a document that doubles with each copy', () => {
    const double = Array.from({ length: 60 }, (_, index) => ({ op: 'copy', from: '', path: `/${index}` }));
    const started = threadTime();
    const result = apply({ text: 'x'.repeat(100) }, double);
    assert.ok(result.kind === 'excess');
    // 100 characters doubled 13 times stay below 1 MiB in all, 14 times do not.
    assert.equal(result.operation, 13);
    assert.ok(threadTime() - started < 2000);
  });

  it('[LIM-1] stops a document that deepens with each move', () => {
    const chain = (): Json => JSON.parse(`${'{"a":'.repeat(30)}{}${'}'.repeat(30)}`);
    const bottom = '/a'.repeat(30);
    const document = Object.fromEntries(['r', 's', 't', 'u'].map((name): [string, Json] => [name, chain()]));
    const deepen = ['r', 's', 't'].map((name, index) => ({
      op: 'move',
      from: `/${name}`,
      path: `/${'stu'[index]}${bottom}/x`,
    }));
    const result = apply(document, deepen);
    assert.ok(result.kind === 'excess');
    assert.equal(result.operation, 1);
  });

  it('[LIM-1] applies the maximum number of operations to a wide document within 2 seconds', () => {
    const document = { items: Array.from({ length: 10_000 }, (_, index) => index) };
    const patch = Array.from({ length: MAX_OPERATIONS }, () => ({ op: 'add', path: '/items/0', value: 0 }));
    const started = threadTime();
    assert.equal(apply(document, patch).kind, 'patched');
    assert.ok(threadTime() - started < 2000);
  });

  it('[REP-7] does not change the prototype, even with operations that were not parsed', () => {
    const path = ['__proto__'];
    const result = applyJsonPatch({}, [{ op: 'add', path, value: { polluted: true } }]);
    assert.ok(result.kind === 'patched');
    assert.equal(JSON.stringify(result.document), '{"__proto__":{"polluted":true}}');
    assert.equal(Reflect.get({}, 'polluted'), undefined);
  });
});
