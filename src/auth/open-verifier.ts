import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Json } from '../conventions/json/json.ts';
import type { AuthRules, Issuer } from '../model/model.ts';
import type { Observe } from '../observe/observation.ts';
import { documentFetcher } from './fetch-document.ts';
import { type IssuerWithKeys, JwtVerifier } from './jwt.ts';
import { fixedKeys, type KeyFinder, type KeySet } from './key-finder.ts';
import { readKeySet, UnusableKeys, usableKeys } from './key-set.ts';
import { discoverKeys, fetchKeys } from './key-sources.ts';
import { type LoadedKeys, RefreshedKeys } from './refreshed-keys.ts';
import type { TokenVerifier } from './token-verifier.ts';

export interface VerifierOptions {
  readonly auth: Pick<AuthRules, 'issuers'>;
  /** The folder where relative paths of `jwks_file` start. */
  readonly folder: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  readonly fetch: typeof globalThis.fetch;
  readonly observe: Observe;
  /** Milliseconds that reading the keys of an issuer may take. Default: 5 s. */
  readonly fetchTimeout?: number;
}

const FETCH_TIMEOUT = 5_000;

/**
 * Creates the verifier of the tokens of all issuers of a model. Files with keys are read here; what issuers publish is
 * fetched when a token first needs it.
 *
 * @throws {UnusableKeys} for a file that cannot be read or used; the message names file, cause and fix
 *
 * @example
 * ```ts
 * const tokens = await openVerifier({
 *   auth: model.auth,
 *   folder: '.',
 *   now: Date.now,
 *   elapsed: () => performance.now(),
 *   fetch,
 *   observe,
 * });
 * ```
 */
export async function openVerifier(options: VerifierOptions): Promise<TokenVerifier> {
  const issuers = await Promise.all(
    options.auth.issuers.map(async (issuer): Promise<IssuerWithKeys> => {
      return { ...issuer, finder: await openFinder(issuer, options) };
    }),
  );
  return new JwtVerifier(issuers, options.now);
}

async function openFinder(issuer: Issuer, options: VerifierOptions): Promise<KeyFinder> {
  const { keys } = issuer;
  switch (keys.kind) {
    case 'inline':
      return fixedKeys(usableKeys(keys.keys));
    case 'secret':
      return fixedKeys([{ id: null, algorithms: ['HS256'], key: new TextEncoder().encode(keys.secret) }]);
    case 'file':
      return openFile(path.resolve(options.folder, keys.path), issuer, options);
    case 'uri':
    case 'discovery':
      return fetchedKeys(issuer, options);
  }
}

/** A file is read again as a URL is, so that keys can be replaced without a restart. */
async function openFile(file: string, issuer: Issuer, options: VerifierOptions): Promise<KeyFinder> {
  const finder = refreshed(issuer, options, async () => ({ keys: await readKeyFile(file), maxAge: 0 }));
  try {
    await finder.start();
    return finder;
  } catch (error) {
    throw error instanceof UnusableKeys ? new UnusableKeys(`${error.message}; ${FIX}`, { cause: error }) : error;
  }
}

const FIX = 'write a JSON Web Key Set with the public keys of the issuer there, or correct jwks_file';

/** The keys of a file. @throws {UnusableKeys} the message names file and cause */
async function readKeyFile(file: string): Promise<KeySet> {
  try {
    return readKeySet(await readJsonFile(file));
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new UnusableKeys(`the keys in ${file} cannot be used: ${cause}`, { cause: error });
  }
}

/** A file with keys that cannot be used. */
export interface KeyFileProblem {
  /** The index of its issuer. */
  readonly index: number;
  readonly cause: string;
  readonly fix: string;
}

/** The key files of a model that cannot be used. @param folder where relative paths start */
export async function keyFileProblems({ issuers }: AuthRules, folder: string): Promise<readonly KeyFileProblem[]> {
  const problems = issuers.map(async ({ keys }, index): Promise<KeyFileProblem | null> => {
    if (keys.kind !== 'file') return null;
    try {
      await readKeyFile(path.resolve(folder, keys.path));
      return null;
    } catch (error) {
      if (error instanceof UnusableKeys) return { index, cause: error.message, fix: FIX };
      throw error;
    }
  });
  return (await Promise.all(problems)).filter((problem) => problem !== null);
}

async function readJsonFile(file: string): Promise<Json> {
  const text = await readFile(file, 'utf8');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UnusableKeys('it is not JSON', { cause: error });
  }
}

function fetchedKeys(issuer: Issuer, options: VerifierOptions): KeyFinder {
  const { fetchTimeout = FETCH_TIMEOUT } = options;
  const fetch = documentFetcher(options.fetch);
  const { keys, issuer: iss } = issuer;
  return refreshed(issuer, options, () => {
    const signal = AbortSignal.timeout(fetchTimeout);
    return keys.kind === 'uri' ? fetchKeys(keys.url, fetch, signal) : discoverKeys(iss, fetch, signal);
  });
}

function refreshed(
  { name }: Issuer,
  { elapsed, observe }: VerifierOptions,
  load: () => Promise<LoadedKeys>,
): RefreshedKeys {
  const onFailure = (error: unknown): void => observe({ kind: 'keys-unavailable', issuer: name, error });
  return new RefreshedKeys({ load, elapsed, onFailure });
}
