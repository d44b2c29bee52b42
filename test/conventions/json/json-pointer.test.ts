import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { arrayIndex, parsePointer } from '../../../src/conventions/json/json-pointer.ts';

describe('parsePointer', () => {
  // Most are of RFC 6901 5.
  const rows: readonly (readonly [text: string, tokens: readonly string[]])[] = [
    ['', []],
    ['/', ['']],
    ['/foo', ['foo']],
    ['/foo/0', ['foo', '0']],
    ['//', ['', '']],
    ['/a~1b', ['a/b']],
    ['/m~0n', ['m~n']],
    ['/~01', ['~1']],
    ['/c%d', ['c%d']],
    ['/k"l', ['k"l']],
    ['/i\\j', ['i\\j']],
    ['/ ', [' ']],
  ];
  for (const [text, tokens] of rows) {
    it(`[MET-3] parses ${JSON.stringify(text)}`, () => assert.deepEqual(parsePointer(text), tokens));
  }

  for (const text of ['a', 'a/b', '#/a', '/~', '/a~', '/~2', '/~a/b']) {
    it(`[MET-3] rejects ${text}`, () => assert.equal(parsePointer(text), null));
  }
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
