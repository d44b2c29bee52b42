import assert from 'node:assert/strict';
import { createCipheriv, createHmac, hkdfSync } from 'node:crypto';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { createSeal } from '../../src/platform/seal.ts';

const secret = new Uint8Array(32).fill(7);
const seal = createSeal(secret, 'cursor');
const text = fc.string({ unit: 'binary', maxLength: 60 });
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The composition as node:crypto offers it, one object for each step. */
function reference(plain: string): string {
  const key = (name: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', `cursor seal 2 ${name}`, 32));
  const tag = createHmac('sha256', key('hash')).update(plain).digest().subarray(0, 16);
  const ciphertext = createCipheriv('aes-256-ctr', key('cipher'), tag).update(plain, 'utf8');
  return Buffer.concat([tag, ciphertext]).toString('base64url');
}

/** Tokens that were handed out: they are opened by every later version. */
const HANDED_OUT = [
  ['cursor', '', 'KHrtrTNgYXYn6YuWtwfXqg'],
  ['cursor', 'a', 'j09ZCSq6bs2yexTWixG2Tog'],
  ['restwright', '0123456789abcdef', 'PXBVciwobaFARHZx7kUTm6kXeNKHVDOuVmgmwir27VI'],
  ['cursor', 'Grüße, 東京 🗼', 'xSwxeyjrh346VsRrWn5g0A9D4okYFOWYv0kQz6m5VpPdCh94'],
  [
    'cursor',
    '{"after":["2026-01-03T03:04:05.678Z","01890a5d-ac96-774b-bcce-b302099a8057"]}',
    'RZvY5BrLG22nL4rQ6Kh3Ccgo2mpqctEyatIfSDIb84R8Enq2WH-j4FAXM-me37CjbnWKF-9vF6Zm8eYozsLbRPPrfI5nYBDRMiSgVrcUpp9RHNeDk25LwCBbrmdm',
  ],
] as const;

describe('seal', () => {
  it('[PAGE-6] makes and opens the tokens that were handed out before', () => {
    const bytes = Uint8Array.from({ length: 32 }, (_, index) => index);
    for (const [context, plain, token] of HANDED_OUT) {
      assert.equal(createSeal(bytes, context).seal(plain), token);
      assert.equal(createSeal(bytes, context).open(token), plain);
    }
  });

  it('[PAGE-6] is HMAC-SHA-256 and AES-256-CTR', () => {
    const long = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 2_000 });
    fc.assert(fc.property(long, (plain) => assert.equal(seal.seal(plain), reference(plain))));
  });

  it('[PAGE-6] opens what it sealed, also after a restart', () => {
    fc.assert(
      fc.property(text, (plain) => assert.equal(createSeal(secret, 'cursor').open(seal.seal(plain)), plain)),
      {
        numRuns: 50,
      },
    );
  });

  it('[PAGE-6] gives the same token for the same text, and another for another', () => {
    assert.equal(seal.seal('created_at:5'), createSeal(secret, 'cursor').seal('created_at:5'));
    assert.notEqual(seal.seal('created_at:5'), seal.seal('created_at:6'));
  });

  it('[PAGE-6] hides the text: tokens of texts with a common beginning share none', () => {
    const [one, two] = ['{"id":"a"}', '{"id":"b"}'].map((plain) => Buffer.from(seal.seal(plain), 'base64url'));
    assert.ok(one !== undefined && two !== undefined);
    assert.notDeepEqual(one.subarray(0, 16), two.subarray(0, 16), 'tag');
    assert.notDeepEqual(one.subarray(16, 22), two.subarray(16, 22), 'ciphertext');
  });

  it('[PAGE-6] opens nothing when any one character is another', () => {
    const token = seal.seal('{"id":"01"}');
    for (let at = 0; at < token.length; at += 1) {
      for (const other of ['A', '-', 'q', '=', '+', ' ']) {
        if (token[at] === other) continue;
        assert.equal(seal.open(token.slice(0, at) + other + token.slice(at + 1)), null, `${other} at ${at}`);
      }
    }
  });

  it('[PAGE-6] opens no token that is cut or has more behind it', () => {
    const token = seal.seal('{"id":"01"}');
    for (let length = 0; length < token.length; length += 1) assert.equal(seal.open(token.slice(0, length)), null);
    for (const more of ['A', '=', '==', '\n', ' ', token])
      assert.equal(seal.open(token + more), null, JSON.stringify(more));
  });

  it('[PAGE-6] opens no second spelling of a token: neither other unused bits nor the other alphabet of base64', () => {
    const tokens = Array.from({ length: 50 }, (_, number) => seal.seal(`${number}`.padStart(3, '0')));
    for (const token of tokens) {
      const last = BASE64URL.indexOf(token.slice(-1));
      for (const twin of [
        token.slice(0, -1) + BASE64URL.charAt(last ^ 1),
        token.replaceAll('-', '+').replaceAll('_', '/'),
        `${token}==`,
      ]) {
        assert.deepEqual(Buffer.from(twin, 'base64url'), Buffer.from(token, 'base64url'));
        assert.equal(seal.open(twin), twin === token ? seal.open(token) : null);
      }
    }
  });

  it('[PAGE-6] opens no token of another secret or another context', () => {
    const token = seal.seal('x');
    assert.equal(createSeal(new Uint8Array(32).fill(8), 'cursor').open(token), null);
    assert.equal(createSeal(secret, 'other').open(token), null);
    assert.equal(createSeal(secret).open(token), null);
    assert.notEqual(createSeal(secret, 'other').seal('x').slice(0, 16), token.slice(0, 16), 'tag');
  });

  it('refuses a secret that could be guessed', () => {
    assert.throws(() => createSeal(new Uint8Array(15)), RangeError);
  });
});
