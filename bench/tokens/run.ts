// Measures the verification of bearer tokens: `node bench/tokens/run.ts [tokens]`. README.md describes the method.
import { generateKeyPairSync, sign } from 'node:crypto';
import process from 'node:process';
import { openVerifier } from '../../src/auth/open-verifier.ts';
import type { TokenVerifier } from '../../src/auth/token-verifier.ts';
import type { JsonObject } from '../../src/conventions/json/json.ts';

const COUNT = Number(process.argv[2] ?? 2_000);
const ROUNDS = 5;
const KNOWN_ROUNDS = 100_000;

const PAIRS = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: generateKeyPairSync('ed25519'),
};
type Algorithm = keyof typeof PAIRS;
const ALGORITHMS = Object.keys(PAIRS) as Algorithm[];

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

function signToken(algorithm: Algorithm, serial: string): string {
  const now = Math.floor(Date.now() / 1_000);
  const claims = {
    iss: 'https://id.example.com/',
    aud: 'https://api.example.com',
    sub: '5ba552d67a3b4c1f',
    client_id: 'shop-web',
    scope: 'products:read products:write suppliers:read',
    iat: now,
    exp: now + 3_600,
    jti: serial,
  };
  const input = `${encode({ alg: algorithm, typ: 'at+jwt', kid: algorithm })}.${encode(claims)}`;
  const key = PAIRS[algorithm].privateKey;
  const digest = algorithm === 'EdDSA' ? null : 'sha256';
  return `${input}.${sign(digest, Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

function open(): Promise<TokenVerifier> {
  const keys = Object.entries(PAIRS).map(
    ([kid, { publicKey }]): JsonObject => ({ ...(publicKey.export({ format: 'jwk' }) as JsonObject), kid }),
  );
  const issuer = {
    name: 'id',
    issuer: 'https://id.example.com/',
    audiences: ['https://api.example.com'],
    keys: { kind: 'inline', keys },
    allowTypJwt: false,
    scopeClaims: ['scope'],
    clientClaim: 'client_id',
  } as const;
  return openVerifier({
    auth: { issuers: [issuer] },
    folder: '.',
    now: () => Date.now(),
    elapsed: () => performance.now(),
    fetch,
    observe: () => undefined,
  });
}

async function verified(verifier: TokenVerifier, token: string): Promise<void> {
  const verdict = await verifier.verify(token);
  if (verdict.kind !== 'verified') throw new Error(`a token is ${verdict.kind}`);
}

interface Cost {
  /** Microseconds from the call to the verdict. */
  readonly wall: number;
  /** Microseconds of processor time of all threads. */
  readonly processor: number;
}

async function measure(count: number, run: () => Promise<void>): Promise<Cost> {
  const processor = process.cpuUsage();
  const start = performance.now();
  await run();
  const wall = ((performance.now() - start) * 1_000) / count;
  const { user, system } = process.cpuUsage(processor);
  return { wall, processor: (user + system) / count };
}

/** The median of rounds of new tokens, one after another; the first round is not counted. */
async function newTokens(algorithm: Algorithm): Promise<Cost> {
  const verifier = await open();
  const costs: Cost[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const tokens = Array.from({ length: COUNT }, (_, index) => signToken(algorithm, `${round}.${index}`));
    const cost = await measure(COUNT, async () => {
      for (const token of tokens) await verified(verifier, token);
    });
    if (round > 0) costs.push(cost);
  }
  return median(costs);
}

async function knownToken(algorithm: Algorithm): Promise<Cost> {
  const verifier = await open();
  const token = signToken(algorithm, 'known');
  await verified(verifier, token);
  // As a request has it: a string of its own, whose hash no engine knows.
  const bytes = Buffer.from(token, 'latin1');
  const costs: Cost[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const cost = await measure(KNOWN_ROUNDS, async () => {
      for (let count = 0; count < KNOWN_ROUNDS; count += 1)
        if (verifier.verify(bytes.toString('latin1')) instanceof Promise) throw new Error('the token is not known');
    });
    if (round > 0) costs.push(cost);
  }
  return median(costs);
}

function median(costs: readonly Cost[]): Cost {
  const sorted = [...costs].sort((a, b) => a.wall - b.wall);
  return sorted[Math.floor(sorted.length / 2)] ?? { wall: Number.NaN, processor: Number.NaN };
}

const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
process.stdout.write(row('token', 'wall, µs', 'processor, µs') + row('---', '---:', '---:'));
for (const algorithm of ALGORITHMS) {
  const { wall, processor } = await newTokens(algorithm);
  process.stdout.write(row(`new, ${algorithm}`, wall.toFixed(0), processor.toFixed(0)));
}
for (const algorithm of ALGORITHMS) {
  const { wall, processor } = await knownToken(algorithm);
  process.stdout.write(row(`known, ${algorithm}`, wall.toFixed(2), processor.toFixed(2)));
}
