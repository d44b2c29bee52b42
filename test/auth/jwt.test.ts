import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Issuer } from '../../src/model/model.ts';
import { FORGED, HS256_FORGED, SIGNED, SPELLED } from './attacks.ts';
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
  judgeToken,
  verifier,
} from './signing.ts';

const verified = async (text: string, issuer: Partial<Issuer> = {}): Promise<VerifiedToken> => {
  const verdict = await judgeToken(text, issuer);
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
      assert.equal((await judgeToken(token({ header: { typ } }))).kind, 'invalid');
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
      assert.equal((await judgeToken(token({ claims }))).kind, kind, JSON.stringify(claims));
  });

  it('[AUTH-2a] has a subject of any writing', async () => {
    assert.equal((await verified(token({ claims: { sub: 'Ærøskøbing 🦊' } }))).subject, 'Ærøskøbing 🦊');
  });
});

const [HEAD = '', , SIGNATURE = ''] = token().split('.');

describe('a token with a trusted signature is invalid', () => {
  for (const [title, parts] of SIGNED) {
    it(`[AUTH-2a] with ${title}`, async () => {
      assert.equal((await judgeToken(token(parts))).kind, 'invalid');
    });
  }

  for (const [title, text] of SPELLED) {
    it(`[AUTH-2a] with ${title}`, async () => {
      assert.match(JSON.stringify(await judgeToken(text)), /is not canonical base64url/);
    });
  }

  it('[AUTH-2a] with the typ of another kind of token, also where typ JWT is accepted', async () => {
    for (const typ of ['id+jwt', 'logout+jwt', 'dpop+jwt', 'JWS', '', 7, null])
      assert.equal((await judgeToken(token({ header: { typ } }), { allowTypJwt: true })).kind, 'invalid', String(typ));
  });

  it('[AUTH-2a] with bytes that are no UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`${JSON.stringify(CLAIMS).slice(0, -1)},"a":"`),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);
    const input = `${HEAD}.${encode(bytes)}`;
    const verdict = await judgeToken(`${input}.${encode(signature(input, 'ES256', pairs.ES256.privateKey))}`);
    assert.deepEqual(verdict, { kind: 'invalid', reason: 'its payload is not UTF-8' });
  });

  it('[AUTH-2a] where its key is for another algorithm, use or operation', async () => {
    const key = pairs.RS256.publicKey;
    const text = token({ header: { alg: 'RS256', kid: undefined } });
    for (const members of [{ alg: 'PS256' }, { use: 'enc' }, { key_ops: ['encrypt'] }])
      assert.equal((await judgeToken(text, inline(publicJwk(key, members)))).kind, 'invalid', JSON.stringify(members));
    await verified(text, inline(publicJwk(key, { alg: 'RS256', use: 'sig', key_ops: ['verify'] })));
  });

  it('[AUTH-2a] where HS256 is configured and another algorithm signed', async () => {
    assert.equal((await judgeToken(token(), { keys: secretKeys })).kind, 'invalid');
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
      for (const allowTypJwt of [false, true]) assert.equal((await judgeToken(text, { allowTypJwt })).kind, 'invalid');
    });
  }

  for (const [title, text] of HS256_FORGED) {
    it(`[AUTH-2a] where HS256 is configured, with ${title}`, async () => {
      assert.equal((await judgeToken(text, { keys: secretKeys })).kind, 'invalid');
    });
  }

  it('[AUTH-2a] also where it is expired: only a valid signature shows that', async () => {
    const expired = token({ claims: { exp: SECONDS - 1_000 } });
    assert.equal((await judgeToken(expired)).kind, 'expired');
    assert.equal((await judgeToken(`${expired.slice(0, -4)}AAAA`)).kind, 'invalid');
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

  it('[AUTH-2a] are known by all their characters: what shares some with a known one is judged', async () => {
    const subject = await verifier();
    const known = token({ header: { alg: 'RS256', kid: 'RS256' } });
    assert.equal((await subject.verify(known)).kind, 'verified');
    const [head = '', body = '', end = ''] = known.split('.');
    const changed = [
      [encode({ ...CLAIMS, sub: 'root' }), end],
      [body, `${end.slice(0, 3)}${end[3] === 'A' ? 'B' : 'A'}${end.slice(4)}`],
      [body, end.slice(4)],
      [body, `AAAA${end}`],
      [body, end.slice(-24)],
    ];
    for (const [payload = '', signed = ''] of changed)
      assert.equal((await subject.verify(`${head}.${payload}.${signed}`)).kind, 'invalid', payload);
    assert.equal((await subject.verify(known)).kind, 'verified');
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
    const verdict = await judgeToken(token({ claims: { sub: 'ann\n', iss: ISSUER.issuer } }));
    assert.doesNotMatch(JSON.stringify(verdict), /ann/);
  });
});

describe('a token in the cache of verified ones', () => {
  it('[LIM-2b] is known from its verification until it expires, to the same text alone', async () => {
    const clock = { time: NOW };
    const tokens = await verifier({ now: () => clock.time });
    const text = token();
    assert.equal(tokens.isKnown?.(text), false);
    await tokens.verify(text);
    assert.equal(tokens.isKnown?.(text), true);
    assert.equal(tokens.isKnown?.(`x${text}`), false);
    clock.time += 3_600_000;
    assert.equal(tokens.isKnown?.(text), false);
  });
});
