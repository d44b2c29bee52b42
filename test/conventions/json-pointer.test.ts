import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { arrayIndex, formatPointer, parsePointer, resolvePointer } from '../../src/conventions/json-pointer.ts';
import type { Json } from '../../src/conventions/json.ts';

describe('resolvePointer', () => {
  // The document and the pointers of RFC 6901 5.
  const document: Json = {
    foo: ['bar', 'baz'],
    '': 0,
    'a/b': 1,
    'c%d': 2,
    'e^f': 3,
    'g|h': 4,
    'i\\j': 5,
    'k"l': 6,
    ' ': 7,
    'm~n': 8,
  };
  const rows: readonly (readonly [pointer: string, value: Json | undefined])[] = [
    ['', document],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
    ['/foo/2', undefined],
    ['/foo/-', undefined],
    ['/foo/00', undefined],
    ['/foo/length', undefined],
    ['/foo/0/0', undefined],
    ['/absent', undefined],
    ['/absent/deeper', undefined],
    ['/toString', undefined],
    ['/__proto__', undefined],
  ];
  for (const [text, value] of rows) {
    it(`[MET-3] finds what ${JSON.stringify(text)} names`, () => {
      const pointer = parsePointer(text);
      assert.ok(pointer);
      assert.deepEqual(resolvePointer(document, pointer), value);
    });
  }
});

describe('parsePointer', () => {
  it('[MET-3] decodes ~01 as ~1, not as a slash', () => assert.deepEqual(parsePointer('/~01'), ['~1']));

  for (const text of ['a', 'a/b', '#/a', '/~', '/a~', '/~2', '/~a/b']) {
    it(`[MET-3] does not read ${text}`, () => assert.equal(parsePointer(text), null));
  }

  it('[MET-3] reads what is written', () => {
    const token = fc.oneof(fc.string(), fc.constantFrom('~', '/', '~0', '~1', '~01', ''));
    const law = fc.property(fc.array(token), (pointer) =>
      assert.deepEqual(parsePointer(formatPointer(pointer)), pointer),
    );
    fc.assert(law);
  });
});

describe('arrayIndex', () => {
  const rows = [
    ['0', 0],
    ['7', 7],
    ['10', 10],
    ['-', null],
    ['-1', null],
    ['01', null],
    ['1e0', null],
    ['', null],
    [' 1', null],
  ] as const;
  for (const [token, index] of rows) {
    it(`[MET-3] reads "${token}" as ${index}`, () => assert.equal(arrayIndex(token), index));
  }
});
