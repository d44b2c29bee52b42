import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Json, JsonObject } from '../../src/conventions/json/json.ts';
import { openVerifier } from '../../src/auth/open-verifier.ts';
import type { TokenVerifier } from '../../src/auth/token-verifier.ts';
import type { Issuer, KeySource } from '../../src/model/model.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { type IssuerServer, json, type Respond, startIssuer } from './issuer-server.ts';
import { ISSUER, JWKS, NOW, publicJwk, token } from './signing.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

interface Subject {
  readonly verifier: TokenVerifier;
  /** The failures that were logged. */
  readonly failures: string[];
  /** Lets time pass. */
  wait(milliseconds: number): void;
  /** The kind of verdict for a token. */
  kind(text?: string): Promise<string>;
}

async function open(
  keys: KeySource,
  rule: Partial<Issuer> = {},
  { folder = '.', fetchTimeout = 10_000 } = {},
): Promise<Subject> {
  let elapsed = 0;
  const failures: string[] = [];
  const verifier = await openVerifier({
    auth: { issuers: [{ ...ISSUER, ...rule, keys }] },
    folder,
    now: () => NOW,
    elapsed: () => elapsed,
    fetch,
    observe: (observation) => {
      if (observation.kind === 'keys-unavailable') failures.push(String(observation.error));
    },
    fetchTimeout,
  });
  return {
    verifier,
    failures,
    wait: (milliseconds) => {
      elapsed += milliseconds;
    },
    kind: async (text = token()) => (await verifier.verify(text)).kind,
  };
}

const openUri = ({ url }: IssuerServer, fetchTimeout?: number): Promise<Subject> =>
  open({ kind: 'uri', url: `${url}/jwks` }, {}, { fetchTimeout });

let serial = 0;
/** A token that no verifier knows. */
const fresh = (parts: Parameters<typeof token>[0] = {}): string => {
  serial += 1;
  return token({ ...parts, claims: { jti: String(serial), ...(parts.claims as object) } });
};

const next = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const NEXT = publicJwk(next.publicKey, { kid: 'next' });
const byNext = (): string => fresh({ header: { kid: 'next' }, key: next.privateKey });

describe('keys of jwks_uri', () => {
  it('[AUTH-2b] are fetched with the first token, and then cached', async (test) => {
    const issuer = await startIssuer(test, json({ keys: JWKS }));
    const subject = await openUri(issuer);
    assert.deepEqual(issuer.requests, []);
    assert.equal(await subject.kind(), 'verified');
    assert.equal(await subject.kind(fresh()), 'verified');
    assert.deepEqual(issuer.requests, ['/jwks']);
  });

  it('[AUTH-2b] are fetched once for all requests that wait', async (test) => {
    const issuer = await startIssuer(test, json({ keys: JWKS }));
    const subject = await openUri(issuer);
    const kinds = await Promise.all(Array.from({ length: 20 }, () => subject.kind(fresh())));
    assert.deepEqual(new Set(kinds), new Set(['verified']));
    assert.deepEqual(issuer.requests, ['/jwks']);
  });

  it('[AUTH-2b] are fetched again for an unknown kid, at most once in 30 s', async (test) => {
    const issuer = await startIssuer(test, json({ keys: JWKS }));
    const subject = await openUri(issuer);
    await subject.kind();
    issuer.respond = json({ keys: [...JWKS, NEXT] });
    subject.wait(29 * SECOND);
    assert.equal(await subject.kind(byNext()), 'invalid');
    assert.equal(issuer.requests.length, 1);
    subject.wait(SECOND);
    const kinds = await Promise.all([subject.kind(byNext()), subject.kind(byNext())]);
    assert.deepEqual(kinds, ['verified', 'verified']);
    assert.equal(issuer.requests.length, 2);
    for (let count = 0; count < 5; count += 1)
      assert.equal(await subject.kind(fresh({ header: { kid: `unknown-${count}` } })), 'invalid');
    assert.equal(issuer.requests.length, 2);
  });

  it('[AUTH-2b] drop verified tokens when they are replaced, and only then', async (test) => {
    const issuer = await startIssuer(test, json({ keys: JWKS }));
    const subject = await openUri(issuer);
    const known = token();
    const verdict = await subject.verifier.verify(known);
    subject.wait(MINUTE);
    await subject.kind(fresh({ header: { kid: 'unknown' } }));
    assert.equal(subject.verifier.verify(known), verdict, 'the same keys were fetched');
    issuer.respond = json({ keys: [NEXT] });
    subject.wait(MINUTE);
    assert.equal(await subject.kind(byNext()), 'verified');
    assert.equal(await subject.kind(known), 'invalid');
  });

  const due: readonly (readonly [title: string, header: string, age: number])[] = [
    ['max-age of the response', 'public, max-age=600', 10 * MINUTE],
    ['an hour without max-age', 'public', HOUR],
    ['5 minutes at least', 'max-age=0', 5 * MINUTE],
    ['24 hours at most', 'max-age=31536000', 24 * HOUR],
  ];
  for (const [title, header, age] of due) {
    it(`[AUTH-2b] are fetched again in the background after ${title}`, async (test) => {
      const issuer = await startIssuer(test, json({ keys: JWKS }, { 'Cache-Control': header }));
      const subject = await openUri(issuer);
      const known = token();
      const verdict = await subject.verifier.verify(known);
      subject.wait(age - 1);
      assert.equal(subject.verifier.verify(known), verdict);
      assert.equal(issuer.requests.length, 1);
      subject.wait(1);
      assert.equal(subject.verifier.verify(known), verdict, 'a known token does not wait');
      // A token with an unknown key would fetch them at any time.
      for (let waited = 0; issuer.requests.length < 2 && waited < 5_000; waited += 5) await setTimeout(5);
      assert.equal(issuer.requests.length, 2);
    });
  }

  it('[AUTH-2b] are waited for where no request has come for a long time', async (test) => {
    const issuer = await startIssuer(test, json({ keys: JWKS }));
    const subject = await openUri(issuer);
    const known = token();
    await subject.kind(known);
    issuer.respond = json({ keys: [NEXT] });
    subject.wait(10 * HOUR);
    assert.equal(await subject.kind(known), 'invalid', 'its key was withdrawn');
  });
});

/** 10 MB of spaces. */
const COMPRESSED = gzipSync(' '.repeat(10_000_000));

/** Sends as much as is read. */
const endless: Respond = (response) => {
  const chunk = ' '.repeat(65_536);
  const send = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', send).writeHead(200);
  send();
};

const FAILURES: readonly (readonly [title: string, respond: Respond, logged: RegExp])[] = [
  ['status 500', (response) => response.writeHead(500).end('{"keys":[]}'), /has status 500/],
  ['status 404', (response) => response.writeHead(404).end(), /has status 404/],
  ['HTML', (response) => response.end('<!doctype html><title>Sign in</title>'), /is not JSON/],
  ['nothing', (response) => response.end(), /is not JSON/],
  ['no key set', json({ error: 'x' }), /not a JSON Web Key Set/],
  ['an empty key set', json({ keys: [] }), /no key that verifies tokens: it is empty/],
  ['a key of the wrong type', json({ keys: [{ kty: 'OKP', crv: 'X25519', x: 'a' }] }), /kty OKP with crv X25519/],
  [
    'a weak key',
    json({ keys: [publicJwk(generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey)] }),
    /1024 bits/,
  ],
  [
    'a private key',
    json({ keys: [...JWKS, publicJwk(next.privateKey)] }),
    /contains a private key: it has the private member d/,
  ],
  ['a shared secret', json({ keys: [...JWKS, { kty: 'oct', k: 'AAAA' }] }), /private key: it has the private member k/],
  ['101 keys', json({ keys: Array.from({ length: 101 }, () => JWKS[0]) }), /more than 100 keys/],
  ['10 MB', (response) => response.end(`{"keys":[${' '.repeat(10_000_000)}]}`), /more than 262144 bytes/],
  [
    '10 MB that are compressed',
    (response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(COMPRESSED),
    /more than 262144 bytes/,
  ],
  ['a body without an end', endless, /more than 262144 bytes/],
  ['bytes that are no UTF-8', (response) => response.end(Buffer.from([0x22, 0xff, 0x22])), /cannot be read/],
  [
    'a redirect',
    (response) => response.writeHead(302, { Location: '/other' }).end(),
    /status 302: redirects are not followed/,
  ],
  ['nothing at all, slowly', () => undefined, /cannot be fetched: .*timeout/],
  [
    'the beginning of a body, slowly',
    (response) => response.writeHead(200).write('{"keys":['),
    /cannot be read: .*timeout/,
  ],
  ['a closed connection', (response) => response.destroy(), /cannot be fetched/],
];

describe('an issuer that is not available', () => {
  for (const [title, respond, logged] of FAILURES) {
    it(`[AUTH-2b] makes tokens unavailable while no keys are known, and nothing else later: ${title}`, async (test) => {
      const issuer = await startIssuer(test, respond);
      const subject = await openUri(issuer, title.endsWith('slowly') ? 400 : undefined);
      assert.equal(await subject.kind(), 'unavailable');
      assert.match(subject.failures.join('\n'), logged);
      assert.equal(await subject.kind(), 'unavailable');
      assert.deepEqual(issuer.requests, ['/jwks'], 'not at every request');
      issuer.respond = json({ keys: JWKS });
      subject.wait(5 * SECOND);
      assert.equal(await subject.kind(), 'verified');
      issuer.respond = respond;
      subject.wait(2 * HOUR);
      assert.equal(await subject.kind(fresh()), 'verified');
      assert.equal(await subject.kind(byNext()), 'invalid');
      assert.equal(issuer.requests.length, 3);
      assert.equal(subject.failures.length, 2);
    });
  }

  it('[AUTH-2b] delays requests once, and not at every read that fails', async (test) => {
    const issuer = await startIssuer(test, json({ keys: JWKS }));
    const subject = await openUri(issuer, 400);
    const known = token();
    const verdict = await subject.verifier.verify(known);
    issuer.respond = () => undefined;
    subject.wait(2 * HOUR);
    const waiting = [subject.verifier.verify(known), subject.verifier.verify(fresh())];
    assert.ok(waiting.every((each) => each instanceof Promise));
    assert.deepEqual(
      (await Promise.all(waiting)).map(({ kind }) => kind),
      ['verified', 'verified'],
    );
    assert.equal(issuer.requests.length, 2);
    const again = await subject.verifier.verify(known);
    assert.deepEqual(again, verdict);
    subject.wait(MINUTE);
    assert.equal(subject.verifier.verify(known), again, 'no wait');
    assert.equal(await subject.kind(fresh()), 'verified');
  });

  it('[AUTH-2b] makes no difference to tokens that are invalid by themselves', async (test) => {
    const issuer = await startIssuer(test, (response) => response.writeHead(500).end());
    const subject = await openUri(issuer);
    assert.equal(await subject.kind(token({ claims: { aud: 'x' } })), 'invalid');
    assert.deepEqual(issuer.requests, []);
  });
});

describe('discovery', () => {
  const OPEN_ID = '/.well-known/openid-configuration';
  const OAUTH = '/.well-known/oauth-authorization-server';

  /** An issuer with these documents; a function gets the URL of the server. */
  async function discover(
    test: TestContext,
    issuerPath: string,
    documents: (url: string) => Record<string, Json>,
  ): Promise<{ readonly issuer: IssuerServer; readonly subject: Subject; readonly text: string }> {
    const issuer = await startIssuer(test, (response, request) => {
      const document = documents(issuer.url)[request.url ?? ''];
      if (document === undefined) response.writeHead(404).end();
      else json(document)(response, request);
    });
    const iss = issuer.url + issuerPath;
    const subject = await open({ kind: 'discovery' }, { issuer: iss });
    return { issuer, subject, text: token({ claims: { iss } }) };
  }
  const keys: JsonObject = { keys: JWKS };

  it('[AUTH-2b] finds the keys by the metadata of OpenID Connect, below the path of the issuer', async (test) => {
    const { issuer, subject, text } = await discover(test, '/realms/shop', (url) => ({
      [`/realms/shop${OPEN_ID}`]: { issuer: `${url}/realms/shop`, jwks_uri: `${url}/certs` },
      '/certs': keys,
    }));
    assert.equal(await subject.kind(text), 'verified');
    assert.deepEqual(issuer.requests, [`/realms/shop${OPEN_ID}`, '/certs']);
  });

  it('[AUTH-2b] finds the keys by the metadata of RFC 8414, before the path of the issuer', async (test) => {
    const { issuer, subject, text } = await discover(test, '/tenant/', (url) => ({
      [`${OAUTH}/tenant`]: { issuer: `${url}/tenant/`, jwks_uri: `${url}/certs` },
      '/certs': keys,
    }));
    assert.equal(await subject.kind(text), 'verified');
    assert.deepEqual(issuer.requests, [`/tenant${OPEN_ID}`, `${OAUTH}/tenant`, '/certs']);
  });

  const rejected: readonly (readonly [title: string, metadata: (url: string) => Json, logged: RegExp])[] = [
    [
      'of another issuer',
      (url) => ({ issuer: `${url}/evil`, jwks_uri: `${url}/certs` }),
      /is of the issuer ".*\/evil"/,
    ],
    ['of no issuer', (url) => ({ jwks_uri: `${url}/certs` }), /is of the issuer undefined/],
    ['without jwks_uri', (url) => ({ issuer: url }), /has no jwks_uri/],
    ['with keys over http from elsewhere', (url) => ({ issuer: url, jwks_uri: 'http://192.0.2.1/' }), /over http/],
    ['with keys in a file', (url) => ({ issuer: url, jwks_uri: 'file:///etc/jwks' }), /not an https URL/],
    ['that are a list', () => [], /is of the issuer undefined/],
  ];
  for (const [title, metadata, logged] of rejected) {
    it(`[AUTH-2b] rejects metadata ${title}`, async (test) => {
      const { subject, text } = await discover(test, '', (url) => ({ [OPEN_ID]: metadata(url), '/certs': keys }));
      assert.equal(await subject.kind(text), 'unavailable');
      assert.match(subject.failures.join('\n'), logged);
    });
  }
});

describe('keys of jwks_file', () => {
  it('[AUTH-2b] are read at the start, and again for an unknown kid', async (test) => {
    const folder = temporaryDirectory(test);
    const file = path.join(folder, 'keys.json');
    await writeFile(file, JSON.stringify({ keys: JWKS }));
    const subject = await open({ kind: 'file', path: 'keys.json' }, {}, { folder });
    assert.equal(await subject.kind(), 'verified');
    await writeFile(file, JSON.stringify({ keys: [NEXT] }));
    assert.equal(await subject.kind(byNext()), 'verified');
    await rm(file);
    subject.wait(HOUR);
    assert.equal(await subject.kind(byNext()), 'verified');
    assert.match(subject.failures.join('\n'), /ENOENT/);
  });

  const bad: readonly (readonly [title: string, text: string | null, cause: RegExp])[] = [
    ['is missing', null, /ENOENT/],
    ['is no JSON', '-----BEGIN PUBLIC KEY-----', /is not JSON/],
    ['is one key', JSON.stringify(JWKS[0]), /not a JSON Web Key Set/],
    ['has a private key', JSON.stringify({ keys: [publicJwk(next.privateKey)] }), /contains a private key/],
  ];
  for (const [title, text, cause] of bad) {
    it(`[AUTH-2b] stop the start where the file ${title}, naming file, cause and fix`, async (test) => {
      const folder = temporaryDirectory(test);
      if (text !== null) await writeFile(path.join(folder, 'keys.json'), text);
      await assert.rejects(open({ kind: 'file', path: 'keys.json' }, {}, { folder }), ({ message }: Error) => {
        assert.match(message, cause);
        assert.match(message, /^the keys in .*keys\.json cannot be used: .*; write a JSON Web Key Set/);
        return true;
      });
    });
  }
});
