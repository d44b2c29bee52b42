import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { digest } from '../../src/platform/digest.ts';

describe('digest', () => {
  it('is the head of SHA-256 in base64url', () => {
    assert.equal(digest('abc'), 'ungWv48Bz-pBQUDeXa4iI7');
  });

  it('counts text as UTF-8', () => {
    assert.equal(digest('Ærø'), digest(Uint8Array.of(0xc3, 0x86, 0x72, 0xc3, 0xb8)));
    assert.notEqual(digest('Ærø'), digest('AErø'));
  });
});
