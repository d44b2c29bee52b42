import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { describe, it } from 'node:test';
import type { TokenAlgorithm } from '../../src/conventions/json/json-web-key.ts';
import { createSigningKey, signToken, type VerificationKey, verifySignature } from '../../src/auth/signature.ts';
import { encode, token, judgeToken } from './signing.ts';

const JOE = 'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ';

const EXAMPLES: readonly (readonly [title: string, text: string, key: VerificationKey, algorithm: TokenAlgorithm])[] = [
  [
    'RFC 7515 A.1: HMAC with SHA-256',
    `eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.${JOE}.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk`,
    Buffer.from('AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow', 'base64url'),
    'HS256',
  ],
  [
    'RFC 7515 A.2: RSASSA-PKCS1-v1_5 with SHA-256',
    `eyJhbGciOiJSUzI1NiJ9.${JOE}.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw`,
    {
      kty: 'RSA',
      n: 'ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ',
      e: 'AQAB',
    },
    'RS256',
  ],
  [
    'RFC 7515 A.3: ECDSA on P-256 with SHA-256',
    `eyJhbGciOiJFUzI1NiJ9.${JOE}.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q`,
    {
      kty: 'EC',
      crv: 'P-256',
      x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
      y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
    },
    'ES256',
  ],
  [
    'RFC 8037 A.4: Ed25519',
    'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg',
    { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
    'EdDSA',
  ],
];

describe('verifySignature', () => {
  for (const [title, text, key, algorithm] of EXAMPLES) {
    it(`[AUTH-2a] verifies the example of ${title}`, async () => {
      assert.equal(await verifySignature(text, key, algorithm), true);
      const [head = '', , end = ''] = text.split('.');
      assert.equal(await verifySignature(`${head}.${encode('{"iss":"eve"}')}.${end}`, key, algorithm), false);
    });
  }

  it('[AUTH-2a] verifies no algorithm but that of the key', async () => {
    for (const [, text, key, own] of EXAMPLES) {
      for (const algorithm of ['HS256', 'RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] as const)
        if (algorithm !== own)
          assert.equal(await verifySignature(text, key, algorithm), false, `${own} as ${algorithm}`);
    }
  });

  it('[AUTH-2a] verifies nothing by a point that is not on the curve', async () => {
    const [, , , ec] = [0, ...EXAMPLES];
    const [, text = '', key] = ec ?? [];
    assert.ok(key !== undefined && !(key instanceof Uint8Array));
    assert.equal(await verifySignature(text, { ...key, y: key['x'] ?? '' }, 'ES256'), false);
  });
});

describe('the examples of other specifications', () => {
  it('[AUTH-2a] RFC 7519 6.1: an unsecured token is invalid', async () => {
    const verdict = await judgeToken(`eyJhbGciOiJub25lIn0.${JOE}.`, { issuer: 'joe', allowTypJwt: true });
    assert.equal(verdict.kind, 'invalid');
  });

  it('[AUTH-2a] RFC 9068 2.2: header and claims of an access token', async () => {
    const header = { typ: 'at+JWT', alg: 'RS256', kid: 'RS256' };
    const claims = {
      iss: 'https://authorization-server.example.com/',
      sub: '5ba552d67',
      aud: 'https://rs.example.com/',
      exp: 1_639_528_912,
      iat: 1_618_354_090,
      jti: 'dbe39bf3a3ba4238a513f51d6e1691c4',
      client_id: 's6BhdRkqt3',
      scope: 'openid profile reademail',
    };
    const rule = { issuer: claims.iss, audiences: [claims.aud] };
    assert.deepEqual(await judgeToken(token({ header, claims }), rule), { kind: 'expired' });
    const verdict = await judgeToken(token({ header, claims: { ...claims, exp: claims.exp + 1e9 } }), rule);
    assert.ok(verdict.kind === 'verified');
    const { subject, client, scopes } = verdict.token;
    assert.deepEqual([subject, client, [...scopes]], ['5ba552d67', 's6BhdRkqt3', ['openid', 'profile', 'reademail']]);
  });
});

describe('signToken', () => {
  it('[AUTH-1b] signs as RFC 9068 has it, with a key pair of its own', async () => {
    const { privateKey, publicKey } = await createSigningKey();
    const [head = '', body = '', end = ''] = (await signToken({ sub: 'ann' }, privateKey)).split('.');
    assert.deepEqual(JSON.parse(Buffer.from(head, 'base64url').toString()), {
      alg: 'ES256',
      typ: 'at+jwt',
      kid: publicKey['kid'],
    });
    const key = createPublicKey({ key: publicKey, format: 'jwk' });
    const data = Buffer.from(`${head}.${body}`);
    assert.ok(verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(end, 'base64url')));
    assert.equal(publicKey['d'], undefined);
  });
});
