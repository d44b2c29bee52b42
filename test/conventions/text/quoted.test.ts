import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { ApiError, MAX_DETAILS } from '../../../src/conventions/errors.ts';
import { cut, quoted } from '../../../src/conventions/text/quoted.ts';

describe('cut', () => {
  it('[ERR-4] keeps 100 characters, and shows by an ellipsis that there were more', () => {
    assert.equal(cut('a'.repeat(100)), 'a'.repeat(100));
    assert.equal(cut('a'.repeat(101)), `${'a'.repeat(100)}…`);
    assert.equal(quoted(`"${'a'.repeat(100)}`), `"\\"${'a'.repeat(99)}…"`);
  });

  it('[ERR-4] never cuts a surrogate pair', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 20 }), (long, most) => {
        const short = cut(long, most);
        assert.ok(short.isWellFormed());
        assert.ok(short.length <= most + 1);
        assert.ok(long.startsWith(short.replace(/…$/, '')) || short === long);
      }),
    );
    assert.equal(cut(`${'a'.repeat(99)}\u{1F4A9}b`), `${'a'.repeat(99)}…`);
  });
});

describe('ApiError', () => {
  it('[ERR-3] [ERR-4] has bounded messages, fields and details, whatever they are made of', () => {
    const long = '\u{1F4A9}'.repeat(100_000);
    const detail = { field: long, message: long };
    const error = new ApiError(400, 'NOTE_INVALID', long, { details: Array.from({ length: 1_000 }, () => detail) });
    const { message, details } = error;
    assert.ok(Buffer.byteLength(JSON.stringify({ message, details })) < 100_000);
    assert.ok(details.length > 10);
    const short = { field: 'size', message: 'must be an integer, not a string' };
    const many = new ApiError(400, 'NOTE_INVALID', 'm', { details: Array.from({ length: 1_000 }, () => short) });
    assert.equal(many.details.length, MAX_DETAILS);
  });
});
