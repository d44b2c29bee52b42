import { createHash, createHmac, generateKeyPairSync } from 'node:crypto';
import {
  CLAIMS,
  encode,
  HEADER,
  JWKS,
  pairs,
  publicJwk,
  SECONDS,
  SECRET,
  signature,
  token,
  type TokenParts,
} from './signing.ts';

/** Tokens with a valid signature of a trusted key. */
export const SIGNED: readonly (readonly [title: string, parts: TokenParts])[] = [
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
  ...[null, ['ES256'], { alg: 'ES256' }, true, 'ES256 ', 'ES256\0', 'constructor', '__proto__'].map(
    (alg) => [`alg ${JSON.stringify(alg)}`, { header: { alg } }] as const,
  ),
  ...[null, ['ES256'], "' OR 1=1 --", '$(id)', 'https://evil.example/jwks', 'ES256\0', '__proto__'].map(
    (kid) => [`kid ${JSON.stringify(kid)}`, { header: { kid } }] as const,
  ),
  ['crit with a name that is understood nowhere', { header: { crit: ['http://example.com/UNDEFINED'] } }],
  ['crit that is empty', { header: { crit: [] } }],
  ['crit that names alg', { header: { crit: ['alg'] } }],
  ['crit and b64: false, as RFC 7797 has it', { header: { crit: ['b64'], b64: false } }],
  ['the work of PBES2', { header: { p2c: 2_147_483_647, p2s: 'c2FsdA', enc: 'A256GCM' } }],
  ['two payloads in one', { claims: `${JSON.stringify(CLAIMS)}${JSON.stringify(CLAIMS)}` }],
  ['a payload with a comment', { claims: `/**/${JSON.stringify(CLAIMS)}` }],
];

/** The parts of a token with bits that decoders ignore, or with padding, signed as they are. */
export const SPELLED: readonly (readonly [title: string, text: string])[] = [
  ['a header with padding', signedAs(`${encode(HEADER)}=`, encode(CLAIMS))],
  ['a payload with padding', signedAs(encode(HEADER), `${encode(CLAIMS)}==`)],
  ['a header of base64 with unused bits', signedAs(unusedBits(JSON.stringify(HEADER)), encode(CLAIMS))],
  ['a payload of base64 with unused bits', signedAs(encode(HEADER), unusedBits(JSON.stringify(CLAIMS)))],
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

/** The claims of the examples of RFC 7515. */
const JOE = 'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ';
const EVIL = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pkcs1 = pairs.RS256.publicKey.export({ type: 'pkcs1', format: 'pem' });
/** The order of the group of Ed25519. */
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

/** A token that brings its key along, and is signed by it. */
function ownKey(header: Record<string, unknown>): string {
  return token({ header: { ...header, jwk: publicJwk(EVIL.publicKey) }, key: EVIL.privateKey });
}

function decodeSignature(alg: string): Buffer {
  return Buffer.from(token({ header: { alg, kid: alg } }).split('.')[2] ?? '', 'base64url');
}

/** A token of a trusted kid, with any signature. */
function rsa(bytes: Uint8Array): string {
  return `${encode({ ...ES, alg: 'RS256', kid: 'RS256' })}.${BODY}.${encode(bytes)}`;
}

function edwards(bytes: Uint8Array): string {
  return `${encode({ ...ES, alg: 'EdDSA', kid: 'EdDSA' })}.${BODY}.${encode(bytes)}`;
}

/** RFC 8032 5.1.7: S must be below the order. */
function spelledTwice(): string {
  const [head = '', body = '', end = ''] = token({ header: { alg: 'EdDSA', kid: 'EdDSA' } }).split('.');
  const bytes = Buffer.from(end, 'base64url');
  const scalar = BigInt(`0x${bytes.subarray(32).reverse().toString('hex')}`) + ORDER;
  const other = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').reverse();
  return `${head}.${body}.${encode(Buffer.concat([Buffer.from(end, 'base64url').subarray(0, 32), other]))}`;
}

/** A token whose parts are signed as they are spelled. */
function signedAs(head: string, body: string): string {
  return `${head}.${body}.${encode(signature(`${head}.${body}`, 'ES256', pairs.ES256.privateKey))}`;
}

/**
 * The base64url of a JSON text, padded by spaces to a length whose last character has unused bits, one of which is set.
 */
function unusedBits(json: string): string {
  const spaces = ' '.repeat((4 - (json.length % 3)) % 3);
  const text = encode(`${json.slice(0, -1)}${spaces}}`);
  return `${text.slice(0, -1)}${String.fromCharCode(text.charCodeAt(text.length - 1) + 1)}`;
}

function cutSecret(bytes: number): string {
  const [head = '', body = '', end = ''] = token({ header: { ...hs, kid: undefined }, key: SECRET }).split('.');
  return `${head}.${body}.${encode(Buffer.from(end, 'base64url').subarray(0, bytes))}`;
}

function signByHash(hash: string, alg: string): string {
  const input = `${encode({ ...hs, alg })}.${BODY}`;
  return `${input}.${encode(createHmac(hash, SECRET).update(input).digest())}`;
}

function hashed(): string {
  const input = `${encode(hs)}.${BODY}`;
  return `${input}.${encode(createHash('sha256').update(`${SECRET}${input}`).digest())}`;
}

/** Texts that attackers send: no token of a trusted key. */
export const FORGED: readonly (readonly [title: string, text: string])[] = [
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
  ['a key of its own that signed it', ownKey({})],
  ['a key of its own under the kid of a trusted one', ownKey({ kid: 'ES256' })],
  ['a key of its own by a URL', token({ header: { jku: 'https://evil.example/jwks' }, key: EVIL.privateKey })],
  ['a certificate of its own', token({ header: { x5c: [encode('evil')], x5t: 'AA' }, key: EVIL.privateKey })],
  ...[
    pem.replaceAll('\n', '\r\n'),
    pkcs1,
    pkcs1.trim(),
    JSON.stringify(JWKS[1]?.['n']),
    JSON.stringify(JWKS[1]?.['n']).slice(1, -1),
  ].map(
    (secret, index) =>
      [`the public key as the secret of HS256, form ${index + 3}`, signedBySecret(hs, secret)] as const,
  ),
  ['HS256 with the claims of a kid that is a file', signedBySecret({ ...hs, kid: '/dev/null' }, '')],
  ['EdDSA with S + L, the other spelling of its signature', spelledTwice()],
  ['EdDSA of zeros', edwards(Buffer.alloc(64))],
  ['EdDSA of the neutral point', edwards(Buffer.concat([Buffer.from([1]), Buffer.alloc(63)]))],
  ...[0, 1].map(
    (value) => [`RS256 of ${value}`, rsa(Buffer.concat([Buffer.alloc(255), Buffer.from([value])]))] as const,
  ),
  ['RS256 of 255 bytes', rsa(Buffer.alloc(255, 1))],
  ['RS256 of 257 bytes, the first of which is zero', rsa(Buffer.concat([Buffer.alloc(1), decodeSignature('RS256')]))],
  ['the unsecured example of RFC 7515 A.5', `eyJhbGciOiJub25lIn0.${JOE}.`],
  ['ES512, as in RFC 7515 A.4', `eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA.${'A'.repeat(176)}`],
  [
    'the example of RFC 7515 E, which is to be rejected for its crit',
    'eyJhbGciOiJub25lIiwNCiAiY3JpdCI6WyJodHRwOi8vZXhhbXBsZS5jb20vVU5ERUZJTkVEIl0sDQogImh0dHA6Ly9leGFtcGxlLmNvbS9VTkRFRklORUQiOnRydWUNCn0.RkFJTA.',
  ],
  [
    'the detached example of RFC 7797 4.2',
    'eyJhbGciOiJIUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19..A5dxf2s96_n5FLueVuW1Z_vh161FwXZC4YLPff6dmDY',
  ],
  [
    'the encrypted example of RFC 7519 A.1, its parts cut',
    'eyJhbGciOiJSU0ExXzUiLCJlbmMiOiJBMTI4Q0JDLUhTMjU2In0.QR1Owv2ug2WyPBnbQrRARTeEk9kDO2w8qDcjiHnSJflSdv1iNqhWXaKH4MqAkQtMoNfABIPJaZm0HaA4.AxY8DCtDaGlsbGljb3RoZQ.MKOle7UQrG6nSxTLX6Mqwt0orbHvAKeWnDYvpIAeZ72deHxz3roJDXQyhxx0wKaMHDjUEOKIwrtkHthpqEanSBNYHZgmNOV7sln1Eu9g3J8.fiK51VwhsxJ-siBMR-YFiA',
  ],
  ['a million dots', '.'.repeat(1_000_000)],
];

/** Texts that attackers send where HS256 is configured: none has the whole signature by its secret. */
export const HS256_FORGED: readonly (readonly [title: string, text: string])[] = [
  ['half of its signature', cutSecret(16)],
  ['one byte of its signature', cutSecret(1)],
  ['a signature and a byte', `${token({ header: { ...hs, kid: undefined }, key: SECRET })}AA`],
  ['HS384 by the secret', signByHash('sha384', 'HS384')],
  ['HS512 by the secret', signByHash('sha512', 'HS512')],
  ['HS256 that is SHA-512', signByHash('sha512', 'HS256')],
  ['the hash in place of the HMAC', hashed()],
  ['a secret with a line break', signedBySecret(hs, `${SECRET}\n`)],
  ['a secret in base64', signedBySecret(hs, Buffer.from(SECRET).toString('base64'))],
  ['RS256 under HS256', token({ header: { alg: 'RS256', kid: undefined } }).replace(/^[^.]+/, encode(hs))],
];
