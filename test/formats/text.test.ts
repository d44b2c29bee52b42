import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DividedObject } from '../../src/formats/divided.ts';
import { textPieces, writeText, writeTextList } from '../../src/formats/text.ts';
import { throwsApiError } from '../conventions/throws-api-error.ts';

describe('text', () => {
  it('[NEG-6] writes one line per value, whatever it contains', () => {
    assert.equal(writeText({ a: 1, b: null, c: 'x\r\n\\y', d: true }), 'a: 1\nb: \nc: x\\r\\n\\\\y\nd: true\n');
  });

  it('[NEG-6] writes dotted names for nested values, and numbers items', () => {
    assert.equal(
      writeText({ address: { city: 'Oslo', zip: null }, tags: ['a', ['b']], none: [], unset: {} }),
      'address.city: Oslo\naddress.zip: \ntags[0]: a\ntags[1][0]: b\nnone: []\nunset: {}\n',
    );
  });

  it('[NEG-6] escapes colons in keys of a map', () => {
    assert.equal(writeText({ labels: { 'a: b\nc': 'x' } }), 'labels.a\\: b\\nc: x\n');
  });

  it('[NEG-6] [LIM-1] refuses what a long key, repeated on every line, would make too large', () => {
    const long = (length: number) => ({ ['k'.repeat(length)]: Array.from({ length: 9_000 }, () => '') });
    assert.equal(writeText({ labels: long(100) }).split('\n').length, 9_001);
    throwsApiError(() => writeText({ labels: long(8_000) }), 'REQUEST_NOT_ACCEPTABLE');
    throwsApiError(() => writeTextList([{ labels: long(4_000) }, { labels: long(4_000) }]), 'REQUEST_NOT_ACCEPTABLE');
    const divided = new DividedObject(() => Object.entries({ one: long(4_000), other: long(8_000) }));
    const pieces = textPieces(divided);
    assert.equal(pieces.next().done, false);
    throwsApiError(() => pieces.next(), 'REQUEST_NOT_ACCEPTABLE');
  });

  it('[NEG-6] separates resources by a blank line', () => {
    assert.equal(writeTextList([{ a: 1 }, { a: 2 }]), 'a: 1\n\na: 2\n');
    assert.equal(writeTextList([]), '');
  });
});
