import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeText } from '../../src/formats/text.ts';

describe('text', () => {
  it('[NEG-6] is one line for each member, whatever the value holds', () => {
    assert.equal(
      writeText([
        ['a', 1],
        ['b', null],
        ['c', 'x\r\n\\y'],
      ]),
      'a: 1\nb: \nc: x\\r\\n\\\\y\n',
    );
  });
});
