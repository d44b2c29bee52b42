import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Issuer } from '../../src/model/model.ts';
import { readToken } from '../../src/auth/compact-token.ts';
import type { VerifiedToken } from '../../src/auth/token-verifier.ts';
import {
  CLAIMS,
  encode,
  ISSUER,
  JWKS,
  NOW,
  pairs,
  publicJwk,
  SECONDS,
  SECRET,
  secretKeys,
  signature,
  token,
  type TokenParts,
  verdictOf,
  verifier,
} from './signing.ts';

const verified = async (text: string, issuer: Partial<Issuer> = {}): Promise<VerifiedToken> => {
  const verdict = await verdictOf(text, issuer);
  assert.equal(verdict.kind, 'verified', JSON.stringify(verdict));
  return verdict.kind === 'verified' ? verdict.token : assert.fail();
};
const inline = (...keys: readonly object[]): Partial<Issuer> => ({
  keys: { kind: 'inline', keys: keys as Extract<Issuer['keys'], { kind: 'inline' }>['keys'] },
});

describe('a valid token', () => {
  it('[AUTH-2a] names issuer, subject, client, scopes and claims', async () => {
    assert.deepEqual(await verified(token()), {
      issuer: 'id',
      subject: 'ann',
      client: 'shop-web',
      scopes: new Set(['products:read', 'products:write']),
      claims: CLAIMS,
    });
  });

  for (const alg of ['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519']) {
    it(`[AUTH-2a] is signed by ${alg}`, async () => {
      const kid = { PS256: 'RS256', Ed25519: 'EdDSA' }[alg] ?? alg;
      assert.equal((await verified(token({ header: { alg, kid } }))).subject, 'ann');
    });
  }

  it('[AUTH-2a] is signed by HS256 where a secret is configured, with a kid or without', async () => {
    for (const kid of ['any', undefined])
      await verified(token({ header: { alg: 'HS256', kid }, key: SECRET }), { keys: secretKeys });
  });

  it('[AUTH-2a] has a typ of access tokens in any case and form', async () => {
    for (const typ of ['at+jwt', 'AT+JWT', 'application/at+jwt']) await verified(token({ header: { typ } }));
  });

  it('[AUTH-2a] may have typ JWT or none where the issuer is declared so', async () => {
    for (const typ of ['JWT', 'jwt', undefined]) {
      await verified(token({ header: { typ } }), { allowTypJwt: true });
      assert.equal((await verdictOf(token({ header: { typ } }))).kind, 'invalid');
    }
  });

  it('[AUTH-2a] needs no kid: the keys of its algorithm are tried', async () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
    await verified(token({ header: { kid: undefined } }), inline(publicJwk(other), ...JWKS));
  });

  it('[AUTH-2a] has one of several audiences, as text or in a list', async () => {
    for (const aud of ['b', ['x', 'b'], ['a', 'b']])
      await verified(token({ claims: { aud } }), { audiences: ['a', 'b'] });
  });

  const scopes: readonly (readonly [
    title: string,
    claims: object,
    rule: Partial<Issuer>,
    expected: readonly string[],
  ])[] = [
    ['none', { scope: undefined }, {}, []],
    ['as text with spaces', { scope: ' a  b ' }, {}, ['a', 'b']],
    ['as a list', { scope: ['a', 'b c'] }, {}, ['a', 'b c']],
    ['in scp', { scope: 'no', scp: 'a b' }, { scopeClaims: ['scp'] }, ['a', 'b']],
    ['in several claims', { scp: ['a'], permissions: ['b'] }, { scopeClaims: ['scp', 'permissions'] }, ['a', 'b']],
  ];
  for (const [title, claims, rule, expected] of scopes) {
    it(`[AUTH-2a] has scopes: ${title}`, async () => {
      assert.deepEqual([...(await verified(token({ claims: { ...claims } }), rule)).scopes], expected);
    });
  }

  it('[AUTH-2a] names its client in the declared claim, or none', async () => {
    assert.equal((await verified(token({ claims: { azp: 'web' } }), { clientClaim: 'azp' })).client, 'web');
    assert.equal((await verified(token(), { clientClaim: 'cid' })).client, null);
  });

  it('[AUTH-2a] is of the issuer that has its iss and audience, of several', async () => {
    const issuers = [
      {
        name: 'other',
        issuer: 'https://id.example.com',
        ...inline(publicJwk(generateKeyPairSync('ed25519').publicKey)),
      },
      { name: 'admin', audiences: ['admin'] },
      { name: 'shop' },
    ];
    const verdict = await (await verifier({ issuers })).verify(token());
    assert.equal(verdict.kind === 'verified' && verdict.token.issuer, 'shop');
  });

  it('[AUTH-2a] may be 60 s expired or 60 s early, and no more', async () => {
    for (const [claims, kind] of [
      [{ exp: SECONDS - 59 }, 'verified'],
      [{ exp: SECONDS - 60 }, 'expired'],
      [{ exp: SECONDS - 59.5 }, 'verified'],
      [{ nbf: SECONDS + 60 }, 'verified'],
      [{ nbf: SECONDS + 61 }, 'invalid'],
      [{ iat: SECONDS + 60 }, 'verified'],
      [{ iat: SECONDS + 61 }, 'invalid'],
      [{ iat: undefined }, 'verified'],
    ] as const)
      assert.equal((await verdictOf(token({ claims }))).kind, kind, JSON.stringify(claims));
  });

  it('[AUTH-2a] has a subject of any writing', async () => {
    assert.equal((await verified(token({ claims: { sub: 'Ærøskøbing 🦊' } }))).subject, 'Ærøskøbing 🦊');
  });
});

/** Tokens with a valid signature of a trusted key. */
const SIGNED: readonly (readonly [title: string, parts: TokenParts])[] = [
  ...['crit', 'b64', 'jku', 'jwk', 'x5u', 'x5c', 'enc', 'zip', 'epk', 'cty'].map(
    (name) =>
      [`${name} in the header`, { header: { [name]: name === 'crit' ? ['exp'] : 'https://evil.example' } }] as const,
  ),
  ['b64: false', { header: { b64: false } }],
  ['b64: true', { header: { b64: true } }],
  ['typ JWT', { header: { typ: 'JWT' } }],
  ['typ of an id token', { header: { typ: 'id+jwt' } }],
  ['typ that is no text', { header: { typ: ['at+jwt'] } }],
  ['no alg', { header: { alg: undefined } }],
  ['alg in lower case', { header: { alg: 'es256' } }],
  ['a kid that is no text', { header: { kid: 7 } }],
  ['an empty kid', { header: { kid: '' } }],
  ['an unknown kid', { header: { kid: '../../../dev/null' } }],
  ['a huge kid', { header: { kid: 'a'.repeat(513) } }],
  ['the kid of another key', { header: { kid: 'RS256' } }],
  ['a header that is a list', { header: '[]' }],
  ['a header that is null', { header: 'null' }],
  ['a header that is no JSON', { header: '{alg:ES256}' }],
  ['a header with a duplicate member', { header: '{"alg":"none","alg":"ES256","typ":"at+jwt","kid":"ES256"}' }],
  ['a header with a duplicate member in escapes', { header: '{"\\u0061lg":"none","alg":"ES256","typ":"at+jwt"}' }],
  [
    'a header that begins with a byte order mark',
    { header: `\ufeff${JSON.stringify({ alg: 'ES256', typ: 'at+jwt' })}` },
  ],
  ['a payload that is a text', { claims: '"ann"' }],
  ['a payload with a duplicate member', { claims: `{"sub":"root",${JSON.stringify(CLAIMS).slice(1)}` }],
  ['a payload with a member named __proto__', { claims: `{"__proto__":{},${JSON.stringify(CLAIMS).slice(1)}` }],
  ['a payload that is a token', { claims: 'eyJhbGciOiJub25lIn0.e30.' }],
  ['a payload that is too deep', { claims: { a: JSON.parse('['.repeat(20) + ']'.repeat(20)) } }],
  ['a payload with a lone surrogate', { claims: `{"a":"\\ud800",${JSON.stringify(CLAIMS).slice(1)}` }],
  ['cnf', { claims: { cnf: { jkt: 'a' } } }],
  ['cnf that is null', { claims: { cnf: null } }],
  ['no iss', { claims: { iss: undefined } }],
  ['another iss', { claims: { iss: 'https://evil.example/' } }],
  ['iss without its slash', { claims: { iss: 'https://id.example.com' } }],
  ['iss in another case', { claims: { iss: 'https://ID.example.com/' } }],
  ['iss in a list', { claims: { iss: ['https://id.example.com/'] } }],
  ['no aud', { claims: { aud: undefined } }],
  ['another aud', { claims: { aud: 'https://api.example.com/' } }],
  ['an empty list of aud', { claims: { aud: [] } }],
  ['aud that is an object', { claims: { aud: { 'https://api.example.com': true } } }],
  ['aud with a number', { claims: { aud: ['https://api.example.com', 7] } }],
  ['no exp', { claims: { exp: undefined } }],
  ['exp as text', { claims: { exp: String(SECONDS + 300) } }],
  ['exp that is null', { claims: { exp: null } }],
  ['exp that is negative', { claims: { exp: -1 } }],
  ['exp that is infinite', { claims: JSON.stringify(CLAIMS).replace(/"exp":\d+/, '"exp":1e999') }],
  ['nbf as text', { claims: { nbf: '0' } }],
  ['iat as text', { claims: { iat: 'now' } }],
  ['no sub', { claims: { sub: undefined } }],
  ['an empty sub', { claims: { sub: '' } }],
  ['sub that is a number', { claims: { sub: 7 } }],
  ['a long sub', { claims: { sub: 'a'.repeat(256) } }],
  ['sub with a line break', { claims: { sub: 'ann\nroot' } }],
  ['a client that is no text', { claims: { client_id: ['a'] } }],
  ['an empty client', { claims: { client_id: '' } }],
  ['scope that is a number', { claims: { scope: 7 } }],
  ['scope that is a list of numbers', { claims: { scope: [7] } }],
  ['more than 8 KiB', { claims: { a: 'a'.repeat(8_192) } }],
];

const pem = pairs.RS256.publicKey.export({ type: 'spki', format: 'pem' });
const [HEAD = '', BODY = '', SIGNATURE = ''] = token().split('.');
const unsigned = (header: object, end = ''): string => `${encode(header)}.${BODY}.${end}`;
const ES = { alg: 'ES256', typ: 'at+jwt', kid: 'ES256' };
const hs = { alg: 'HS256', typ: 'at+jwt' };
/** An ECDSA signature in DER, as X.509 has it. */
const der = (): string => {
  const raw = Buffer.from(SIGNATURE, 'base64url');
  const part = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([2, 33, 0]), bytes]);
  const both = Buffer.concat([part(raw.subarray(0, 32)), part(raw.subarray(32))]);
  return encode(Buffer.concat([Buffer.from([0x30, both.length]), both]));
};
const signedBySecret = (header: object, secret: string): string => {
  const input = `${encode(header)}.${BODY}`;
  return `${input}.${encode(signature(input, 'HS256', secret))}`;
};

/** What attackers send: no token of a trusted key. */
const FORGED: readonly (readonly [title: string, text: string])[] = [
  ['alg none without a signature', unsigned({ ...ES, alg: 'none' })],
  ['alg none with a signature', unsigned({ ...ES, alg: 'none' }, SIGNATURE)],
  ['alg None', unsigned({ ...ES, alg: 'None' })],
  ['alg NONE', unsigned({ ...ES, alg: 'nOnE' }, 'AA')],
  ['an empty alg', unsigned({ ...ES, alg: '' }, SIGNATURE)],
  ['no signature', `${HEAD}.${BODY}.`],
  ['two parts', `${HEAD}.${BODY}`],
  ['four parts', `${HEAD}.${BODY}.${SIGNATURE}.`],
  ['five parts, as encrypted tokens', `${HEAD}.${BODY}.${SIGNATURE}.${SIGNATURE}.${SIGNATURE}`],
  ['no parts', '..'],
  ['nothing', ''],
  ['the public key as the secret of HS256 (PEM)', signedBySecret(hs, pem)],
  ['the public key as the secret of HS256 (without its last line break)', signedBySecret(hs, pem.trim())],
  ['the public key as the secret of HS256 (JWK)', signedBySecret({ ...hs, kid: 'RS256' }, JSON.stringify(JWKS[1]))],
  ['HS256 with an empty secret', signedBySecret(hs, '')],
  ['HS256 with the secret of nobody', signedBySecret({ ...hs, kid: 'ES256' }, SECRET)],
  ['RS256 of a signature of ES256', unsigned({ ...ES, alg: 'RS256' }, SIGNATURE)],
  [
    'PS256 where RS256 signed',
    token({ header: { alg: 'RS256', kid: 'RS256' } }).replace(/^[^.]+/, encode({ ...ES, alg: 'PS256', kid: 'RS256' })),
  ],
  ['RS384', unsigned({ ...ES, alg: 'RS384', kid: 'RS256' }, SIGNATURE)],
  ['ES256K', unsigned({ ...ES, alg: 'ES256K' }, SIGNATURE)],
  ['a signature of zeros', unsigned(ES, encode(Buffer.alloc(64)))],
  ['a signature of zeros in DER', unsigned(ES, encode(Buffer.from([0x30, 6, 2, 1, 0, 2, 1, 0])))],
  ['a signature in DER', unsigned(ES, der())],
  ['a signature that is cut', `${HEAD}.${BODY}.${encode(Buffer.from(SIGNATURE, 'base64url').subarray(0, 63))}`],
  [
    'a signature that is too long',
    `${HEAD}.${BODY}.${encode(Buffer.concat([Buffer.from(SIGNATURE, 'base64url'), Buffer.alloc(1)]))}`,
  ],
  [
    'a signature with r = 0',
    `${HEAD}.${BODY}.${encode(Buffer.concat([Buffer.alloc(32), Buffer.from(SIGNATURE, 'base64url').subarray(32)]))}`,
  ],
  [
    'a signature of the order of the curve',
    `${HEAD}.${BODY}.${encode(Buffer.from('FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551'.repeat(2), 'hex'))}`,
  ],
  ['a signature by another key', token({ key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey })],
  ['a key of its own in the header', token({ header: { jwk: publicJwk(pairs.ES256.publicKey) } })],
  ['another payload', `${HEAD}.${encode({ ...CLAIMS, sub: 'root' })}.${SIGNATURE}`],
  ['padding', `${HEAD}.${BODY}.${SIGNATURE}==`],
  ['padding in the header', `${HEAD}=.${BODY}.${SIGNATURE}`],
  ['a space before', ` ${token()}`],
  ['a space after', `${token()} `],
  ['a space inside', `${HEAD} .${BODY}.${SIGNATURE}`],
  ['a line break inside', `${HEAD}.${BODY}\n.${SIGNATURE}`],
  ['a tab inside a part', `${HEAD.slice(0, 4)}\t${HEAD.slice(4)}.${BODY}.${SIGNATURE}`],
  ['base64 in place of base64url', `${HEAD}.${BODY}.${SIGNATURE.slice(0, -4)}+/+/`],
  ['letters that look alike', token().replace('e', 'е')],
  ['full-width letters', token().replace('e', 'ｅ')],
  ['a dot of another script', token().replace('.', '。')],
  ['NUL', `${token()}\0`],
  ['the JSON serialization', JSON.stringify({ protected: HEAD, payload: BODY, signature: SIGNATURE })],
  ['a million dots', '.'.repeat(1_000_000)],
];

describe('a token with a trusted signature is invalid', () => {
  for (const [title, parts] of SIGNED) {
    it(`[AUTH-2a] with ${title}`, async () => {
      assert.equal((await verdictOf(token(parts))).kind, 'invalid');
    });
  }

  it('[AUTH-2a] with the typ of another kind of token, also where typ JWT is accepted', async () => {
    for (const typ of ['id+jwt', 'logout+jwt', 'dpop+jwt', 'JWS', '', 7, null])
      assert.equal((await verdictOf(token({ header: { typ } }), { allowTypJwt: true })).kind, 'invalid', String(typ));
  });

  it('[AUTH-2a] with bytes that are no UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`${JSON.stringify(CLAIMS).slice(0, -1)},"a":"`),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);
    const input = `${HEAD}.${encode(bytes)}`;
    const verdict = await verdictOf(`${input}.${encode(signature(input, 'ES256', pairs.ES256.privateKey))}`);
    assert.deepEqual(verdict, { kind: 'invalid', reason: 'its payload is not UTF-8' });
  });

  it('[AUTH-2a] where its key is for another algorithm, use or operation', async () => {
    const key = pairs.RS256.publicKey;
    const text = token({ header: { alg: 'RS256', kid: undefined } });
    for (const members of [{ alg: 'PS256' }, { use: 'enc' }, { key_ops: ['encrypt'] }])
      assert.equal((await verdictOf(text, inline(publicJwk(key, members)))).kind, 'invalid', JSON.stringify(members));
    await verified(text, inline(publicJwk(key, { alg: 'RS256', use: 'sig', key_ops: ['verify'] })));
  });

  it('[AUTH-2a] where HS256 is configured and another algorithm signed', async () => {
    assert.equal((await verdictOf(token(), { keys: secretKeys })).kind, 'invalid');
  });
});

describe('readToken', () => {
  it('[AUTH-2a] rejects what has not three parts before any key is looked for', () => {
    for (const text of ['', 'e30.e30', `${token()}.`, `${token()}.${SIGNATURE}`])
      assert.deepEqual(readToken(text), { kind: 'invalid', reason: 'it has not three parts' });
  });
});

describe('a forged token is invalid', () => {
  for (const [title, text] of FORGED) {
    it(`[AUTH-2a] with ${title}`, async () => {
      for (const allowTypJwt of [false, true]) assert.equal((await verdictOf(text, { allowTypJwt })).kind, 'invalid');
    });
  }

  it('[AUTH-2a] also where it is expired: only a valid signature shows that', async () => {
    const expired = token({ claims: { exp: SECONDS - 1_000 } });
    assert.equal((await verdictOf(expired)).kind, 'expired');
    assert.equal((await verdictOf(`${expired.slice(0, -4)}AAAA`)).kind, 'invalid');
  });

  const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.= \n+/~é';

  it('[AUTH-2a] after any change of one character', async () => {
    const subject = await verifier();
    const texts = ['ES256', 'RS256', 'EdDSA'].map((alg) => token({ header: { alg, kid: alg } }));
    const change = fc.record({
      text: fc.constantFrom(...texts),
      at: fc.nat(),
      character: fc.constantFrom(...ALPHABET.split('')),
      how: fc.constantFrom('replace', 'insert', 'remove'),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ text, at, character, how }) => {
        const index = at % text.length;
        const changed =
          text.slice(0, index) + (how === 'remove' ? '' : character) + text.slice(how === 'insert' ? index : index + 1);
        fc.pre(changed !== text);
        assert.equal((await subject.verify(changed)).kind, 'invalid', changed);
      }),
      { numRuns: 500 },
    );
  });

  it('[AUTH-2a] after a change of any of its last characters, where decoders ignore bits', async () => {
    const subject = await verifier();
    for (const alg of ['ES256', 'RS256', 'EdDSA']) {
      const text = token({ header: { alg, kid: alg } });
      for (const character of ALPHABET)
        if (!text.endsWith(character))
          assert.equal((await subject.verify(text.slice(0, -1) + character)).kind, 'invalid');
    }
  });
});

describe('verified tokens', () => {
  it('[AUTH-2a] are answered synchronously when they are known, by the same verdict', async () => {
    const subject = await verifier();
    const first = subject.verify(token({ claims: { jti: '1' } }));
    assert.ok(first instanceof Promise);
    const text = token({ claims: { jti: '2' } });
    const verdict = await subject.verify(text);
    assert.equal(subject.verify(text), verdict);
    await first;
  });

  it('[AUTH-2a] are verified once for requests that arrive together', async () => {
    const subject = await verifier();
    const text = token();
    const [one, other] = [subject.verify(text), subject.verify(text)];
    assert.equal(one, other);
    assert.equal((await one).kind, 'verified');
  });

  it('[AUTH-2a] expire while they are known', async () => {
    let now = NOW;
    const subject = await verifier({ now: () => now });
    const text = token();
    assert.equal((await subject.verify(text)).kind, 'verified');
    now = NOW + 359_999;
    assert.equal((await subject.verify(text)).kind, 'verified');
    now = NOW + 360_000;
    assert.deepEqual(subject.verify(text), { kind: 'expired' });
  });

  it('[AUTH-2a] are judged by each verifier for itself: one model does not know those of another', async () => {
    const text = token();
    assert.equal((await (await verifier()).verify(text)).kind, 'verified');
    assert.equal((await (await verifier({ issuers: [{ audiences: ['b'] }] })).verify(text)).kind, 'invalid');
  });

  it('[AUTH-2a] say in no reason what the token contains', async () => {
    const verdict = await verdictOf(token({ claims: { sub: 'ann\n', iss: ISSUER.issuer } }));
    assert.doesNotMatch(JSON.stringify(verdict), /ann/);
  });
});
