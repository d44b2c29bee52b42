import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { AuthRules } from '../../../../src/model/model.ts';
import { type InvalidDocument, load, listProblems, rejectsEach } from '../../loading.ts';

const authDocument = (auth: unknown): string =>
  `name: shop\nauth: ${JSON.stringify(auth)}\nresources: { items: { schema: { type: object } } }\n`;
const rules = (...issuers: readonly object[]): AuthRules | null => load(authDocument({ issuers })).model.auth;

const ID = { issuer: 'https://id.example.com/', audience: 'https://api.example.com' };
const URI = { ...ID, jwks_uri: 'https://id.example.com/jwks.json' };
const SECRET = 'a secret of at least thirty-two bytes';

const jwk = (key: KeyObject, more: object = {}): object => ({ ...key.export({ format: 'jwk' }), ...more });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const weak = generateKeyPairSync('rsa', { modulusLength: 1_024 });
const curve = generateKeyPairSync('ec', { namedCurve: 'P-384' });

describe('auth of a model', () => {
  it('[AUTH-1a] is null where it is not declared', () => {
    assert.equal(load('name: shop\nresources: { items: { schema: { type: object } } }\n').model.auth, null);
  });

  it('[AUTH-2b] has defaults for everything but iss, aud and the source of keys', () => {
    assert.deepEqual(rules(URI), {
      issuers: [
        {
          name: 'id.example.com',
          issuer: 'https://id.example.com/',
          audiences: ['https://api.example.com'],
          keys: { kind: 'uri', url: 'https://id.example.com/jwks.json' },
          allowTypJwt: false,
          scopeClaims: ['scope'],
          clientClaim: 'client_id',
        },
      ],
      gateway: null,
      apiKeys: null,
      databaseRole: null,
      resource: null,
    });
  });

  it('[AUTH-2b] has the names of claims, the name and several audiences as declared', () => {
    const declared = { name: 'okta', audience: ['a', 'b'], scope_claim: ['scp', 'permissions'], client_claim: 'cid' };
    const [issuer] = rules({ ...ID, ...declared, allow_typ_jwt: true, discovery: true })?.issuers ?? [];
    assert.deepEqual(
      [issuer?.name, issuer?.audiences, issuer?.scopeClaims, issuer?.clientClaim, issuer?.allowTypJwt, issuer?.keys],
      ['okta', ['a', 'b'], ['scp', 'permissions'], 'cid', true, { kind: 'discovery' }],
    );
  });

  it('[AUTH-2b] accepts every source of keys, also over http from this machine', () => {
    const keys = [jwk(ec.publicKey, { kid: 'a', alg: 'ES256', use: 'sig' }), jwk(rsa.publicKey, { use: 'enc' })];
    const sources = [
      { jwks: { keys } },
      { jwks_file: 'keys.json' },
      { jwks_uri: 'http://127.0.0.1:8080/jwks' },
      { hs256_secret: SECRET },
      { discovery: true, issuer: 'http://localhost:8080/realms/shop' },
    ];
    const kinds = sources.map((source) => rules({ ...ID, ...source })?.issuers[0]?.keys);
    assert.deepEqual(kinds, [
      { kind: 'inline', keys: keys.slice(0, 1) },
      { kind: 'file', path: 'keys.json' },
      { kind: 'uri', url: 'http://127.0.0.1:8080/jwks' },
      { kind: 'secret', secret: SECRET },
      { kind: 'discovery' },
    ]);
  });

  it('[AUTH-2b] lets one issuer have several audiences under names of their own', () => {
    assert.equal(rules(URI, { ...URI, name: 'admin', audience: 'https://admin.example.com' })?.issuers.length, 2);
  });

  it('[AUTH-1a] is part of the fingerprint: another rule is another model', () => {
    const fingerprint = (auth: object): string => load(authDocument(auth)).model.fingerprint;
    assert.notEqual(fingerprint({ issuers: [URI] }), fingerprint({ issuers: [{ ...URI, allow_typ_jwt: true }] }));
  });

  it('[AUTH-2b] is as in the guide', () => {
    const guide = readFileSync(new URL('../../../../docs/guides/auth.md', import.meta.url), 'utf8');
    const samples = [...guide.matchAll(/```yaml\n(auth:.*?)```/gs)].map(([, sample = '']) => sample);
    const names = samples.map((sample) => {
      const text = `name: shop\n${sample}resources: { items: { schema: { type: object } } }\n`;
      return load(text, { env: { GATEWAY_SECRET: SECRET } }).model.auth?.issuers.map(({ name }) => name);
    });
    assert.deepEqual(names, [['id.example.com'], ['keycloak', 'entra', 'auth0', 'okta'], []]);
  });

  it('[AUTH-2b] names no secret in its messages', () => {
    const [problem] = listProblems(authDocument({ issuers: [{ ...ID, hs256_secret: 'too short' }] }));
    assert.doesNotMatch(JSON.stringify(problem), /too short/);
  });
});

describe('auth that cannot work', () => {
  const row = (
    title: string,
    auth: object,
    path: string,
    [cause, fix]: readonly [RegExp, RegExp],
  ): InvalidDocument => ({ title, text: authDocument(auth), path, line: 2, cause, fix });
  const issuer = (
    title: string,
    declared: object,
    path: string,
    messages: readonly [RegExp, RegExp],
  ): InvalidDocument =>
    row(
      `[AUTH-2b] rejects ${title}`,
      { issuers: [{ ...ID, ...declared }] },
      `auth.issuers[0]${path === '' ? '' : `.${path}`}`,
      messages,
    );
  const key = (title: string, declared: object, cause: RegExp): InvalidDocument =>
    issuer(title, { jwks: { keys: [declared] } }, 'jwks.keys[0]', [cause, /./]);
  rejectsEach([
    row('[AUTH-1a] rejects auth without an issuer', {}, 'auth', [/no issuer/, /issuers: \[/]),
    row('[AUTH-1a] rejects an empty list of issuers', { issuers: [] }, 'auth', [/no issuer/, /remove auth/]),
    issuer('an issuer without a key', {}, '', [/no key/, /jwks_uri, discovery/]),
    issuer('discovery: false without a key', { discovery: false }, '', [/no key/, /jwks_uri/]),
    issuer('HS256 next to a JWKS', { jwks_uri: URI.jwks_uri, hs256_secret: SECRET }, '', [
      /hs256_secret stands next to public keys \(jwks_uri\)/,
      /keep one/,
    ]),
    issuer('two sources of keys', { discovery: true, jwks_uri: URI.jwks_uri }, '', [
      /2 sources of keys: jwks_uri, discovery/,
      /keep one/,
    ]),
    issuer('a short secret', { hs256_secret: 'secret' }, 'hs256_secret', [/has 6 bytes/, /random/]),
    issuer('keys over http', { jwks_uri: 'http://id.example.com/jwks' }, 'jwks_uri', [/over http/, /https/]),
    issuer('what is no URL', { jwks_uri: 'jwks.json' }, 'jwks_uri', [/not a URL/, /https/]),
    issuer('keys of another scheme', { jwks_uri: 'file:///jwks' }, 'jwks_uri', [/not an https URL/, /https/]),
    issuer('discovery of what is no URL', { issuer: 'shop', name: 'a', discovery: true }, 'issuer', [
      /not a URL/,
      /https/,
    ]),
    issuer('an issuer without a host and without a name', { issuer: 'shop', jwks_file: 'a' }, 'issuer', [
      /no host/,
      /declare its name/,
    ]),
    issuer('a JWKS without keys', { jwks: { keys: [] } }, 'jwks.keys', [/./, /./]),
    issuer('what is no JWKS', { jwks: {} }, 'jwks.keys', [/required/, /./]),
    issuer(
      'a JWKS with keys for encryption alone',
      { jwks: { keys: [jwk(ec.publicKey, { use: 'enc' })] } },
      'jwks.keys',
      [/for encryption/, /sign/],
    ),
    key('a private EC key', jwk(ec.privateKey), /no public key: it has the private member d/),
    key('a private RSA key', jwk(rsa.privateKey), /no public key: it has the private member d/),
    key('a symmetric key', { kty: 'oct', k: 'AAAA' }, /private member k/),
    key('an unknown algorithm', jwk(rsa.publicKey, { alg: 'RS512' }), /its alg "RS512" is not RS256 or PS256/),
    key('HS256 for a public key', jwk(rsa.publicKey, { alg: 'HS256' }), /its alg "HS256"/),
    key('an algorithm of another type of key', jwk(ec.publicKey, { alg: 'RS256' }), /its alg "RS256" is not ES256/),
    key('another curve', jwk(curve.publicKey), /crv P-384/),
    key('a weak RSA key', jwk(weak.publicKey), /1024 bits; use 2048/),
    key('an RSA key with exponent 1', jwk(rsa.publicKey, { e: 'AQ' }), /exponent/),
    key('an RSA key with an even exponent', jwk(rsa.publicKey, { e: 'BA' }), /exponent/),
    key('a truncated coordinate', jwk(ec.publicKey, { x: 'AAAA' }), /32 bytes/),
    key('a key without a type', { kid: 'a' }, /no kty/),
    key('a key id that is no string', jwk(ec.publicKey, { kid: 7 }), /kid/),
    key('a key that may only sign', jwk(ec.publicKey, { key_ops: ['sign'] }), /key_ops/),
    row('[AUTH-9b] rejects a name with a colon', { issuers: [{ ...URI, name: 'corp:eu' }] }, 'auth.issuers[0].name', [
      /'corp:eu' has a colon/,
      /write corp~eu: stored owners are converted/,
    ]),
    row(
      '[AUTH-9b] rejects a declared name that is the default one of an issuer with a port',
      {
        issuers: [
          { ...URI, issuer: 'https://id.example.com:8443/' },
          { ...URI, name: 'id.example.com~8443' },
        ],
      },
      'auth.issuers[1]',
      [/two issuers have the name 'id.example.com~8443'/, /another name/],
    ),
    row('[AUTH-2b] rejects two issuers of one name', { issuers: [URI, { ...URI, audience: 'b' }] }, 'auth.issuers[1]', [
      /two issuers have the name 'id.example.com'/,
      /another name/,
    ]),
    row(
      '[AUTH-2b] rejects two issuers of one iss with a common audience',
      {
        issuers: [
          { ...URI, audience: ['a', 'b'] },
          { ...URI, name: 'b', audience: ['b', 'c'] },
        ],
      },
      'auth.issuers[1].issuer',
      [/and audience 'b'/, /another audience/],
    ),
  ]);
});

describe('the default name of an issuer', () => {
  const name = (issuer: string): string | undefined => rules({ ...URI, issuer })?.issuers[0]?.name;

  it('[AUTH-9b] is its host, with ~ before its port and for each colon of an address', () => {
    assert.equal(name('https://id.example.com:8443/realm'), 'id.example.com~8443');
    assert.equal(name('https://id.example.com:443/'), 'id.example.com');
    assert.equal(name('https://[2001:db8::1]:8443/'), '[2001~db8~~1]~8443');
  });
});

describe('auth.gateway', () => {
  const top = (text: string): string => `name: shop\n${text}\nresources: { items: { schema: { type: object } } }\n`;
  const GATEWAY = 'auth: { gateway: { secret: "${SECRET}" } }';

  it('[AUTH-6a] has the secret, and needs no issuer', () => {
    const { model } = load(top(`${GATEWAY}\ntrusted_proxies: [10.0.0.1]`), { env: { SECRET: 'horse' } });
    assert.deepEqual(model.auth, {
      issuers: [],
      gateway: { secret: 'horse' },
      apiKeys: null,
      resource: null,
      databaseRole: null,
    });
  });

  it('[AUTH-6a] needs a trusted peer', () => {
    for (const text of [GATEWAY, `${GATEWAY}\ntrusted_proxies: []`]) {
      const [problem] = listProblems(top(text), { env: { SECRET: 'horse' } });
      assert.deepEqual([problem?.path, problem?.line], ['auth.gateway', 2]);
      assert.match(`${problem?.cause} ${problem?.fix}`, /no peer is trusted.*trusted_proxies/);
    }
  });

  it('[AUTH-9a] is an issuer of its own, whose name no other has', () => {
    for (const name of ['gateway', 'api-keys']) {
      const [problem] = listProblems(authDocument({ issuers: [{ ...URI, name }] }));
      assert.equal(problem?.path, 'auth.issuers[0]');
    }
  });
});
