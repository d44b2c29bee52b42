import { urlProblem } from '../../../conventions/url/key-url.ts';
import { isJsonObject, type JsonObject } from '../../../conventions/json/json.ts';
import { judgeKey } from '../../../conventions/json/json-web-key.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import { apiKeysName } from './api-keys.ts';
import { compileDatabaseRole } from './database-role.ts';
import type { AuthRules, Issuer, KeySource, GatewayRule } from '../../model.ts';
import { issuerHost, NAME_END, withoutColons } from '../../issuer-names.ts';
import { readArray, readObject, readString, readStrings } from '../../values/access.ts';

const SOURCES = ['jwks', 'jwks_file', 'jwks_uri', 'discovery', 'hs256_secret'] as const;

/**
 * HMAC-SHA-256 is as strong as its key, up to the length of the hash, which is also the least that RFC 7518 3.2 allows.
 */
const MIN_SECRET_BYTES = 32;

/** The issuers that are not declared: a gateway, and the server itself for its API keys (AUTH-9). */
const RESERVED_NAMES: ReadonlySet<string> = new Set(['gateway', 'api-keys']);

/** Compiles `auth` and reports issuers whose tokens could not be verified; null where the model declares none. */
export function compileAuth(document: CompileContext): AuthRules | null {
  const { declared, path, report } = document;
  if (declared['auth'] === undefined) return null;
  const auth = readObject(declared['auth']);
  const at = [...path, 'auth'];
  const issuers = readArray(auth['issuers']).flatMap((issuer, index) =>
    isJsonObject(issuer) ? [compileIssuer({ declared: issuer, path: [...at, 'issuers', index], report })] : [],
  );
  const isOtherwiseUsed = auth['gateway'] !== undefined || auth['api_keys'] === true;
  if (issuers.length === 0 && !isOtherwiseUsed) {
    const fix = 'declare issuers: [{ issuer, audience, jwks_uri }], or remove auth';
    report(at, 'auth has no issuer, so no caller could be accepted', fix);
  }
  reportConflicts(issuers, { declared: auth, path: at, report });
  return {
    issuers,
    gateway: compileGateway(document),
    apiKeys: apiKeysName(declared),
    resource: compileResourceUrl({ declared: auth, path: at, report }),
    databaseRole: compileDatabaseRole(document),
  };
}

/** Compiles the identifier of the resource (RFC 9728 1.2): clients insert the well-known path before its path. */
function compileResourceUrl({ declared, path, report }: CompileContext): string | null {
  const text = readString(declared['resource']);
  if (text === null) return null;
  const problem = urlProblem(text) ?? identifierProblem(new URL(text), text);
  if (problem === null) return text;
  const fix = 'write an https URL without a query and a slash at its end, such as https://api.example.com/shop';
  report([...path, 'resource'], `'${text}' ${problem}`, fix);
  return null;
}

function identifierProblem({ origin, pathname, search }: URL, text: string): string | null {
  if (search !== '' || text.includes('?')) return 'has a query';
  if (pathname !== '/' && (pathname.endsWith('/') || pathname.includes('//'))) return 'has an empty path segment';
  const isCanonical = text === origin || text === origin + pathname;
  return isCanonical ? null : `is not in its canonical form, which is ${origin}${pathname === '/' ? '' : pathname}`;
}

function compileIssuer(context: CompileContext): Issuer {
  const { declared, path, report } = context;
  const issuer = readString(declared['issuer']) ?? '';
  const given = readString(declared['name']);
  const name = given ?? withoutColons(issuerHost(issuer));
  if (name === '' && issuer !== '')
    report([...path, 'issuer'], `'${issuer}' has no host that could name the issuer`, 'declare its name');
  if (given?.includes(NAME_END) === true)
    report(
      [...path, 'name'],
      `the name '${given}' has a colon, which ends the name of an issuer in owner fields`,
      `write ${withoutColons(given)}: stored owners are converted to it`,
    );
  return {
    name,
    issuer,
    audiences: readStrings(declared['audience']),
    keys: compileKeySource(issuer, context),
    allowTypJwt: declared['allow_typ_jwt'] === true,
    scopeClaims: declared['scope_claim'] === undefined ? ['scope'] : readStrings(declared['scope_claim']),
    clientClaim: readString(declared['client_claim']) ?? 'client_id',
  };
}

/** Reports issuers between which a token could not choose. */
function reportConflicts(issuers: readonly Issuer[], { path, report }: CompileContext): void {
  for (const [index, issuer] of issuers.entries()) {
    const at = [...path, 'issuers', index];
    const earlier = issuers.slice(0, index);
    const { name, issuer: iss } = issuer;
    if (RESERVED_NAMES.has(name))
      report(at, `'${name}' is the name of the server's own issuer`, 'declare another name');
    if (name !== '' && earlier.some((each) => each.name === name))
      report(at, `two issuers have the name '${name}'`, 'declare another name for one of them');
    const audience = earlier
      .filter((each) => each.issuer === iss)
      .flatMap(({ audiences }) => issuer.audiences.filter((each) => audiences.includes(each)))[0];
    if (audience !== undefined) {
      const cause = `two issuers have iss '${iss}' and audience '${audience}'`;
      report([...at, 'issuer'], cause, 'remove one of them, or declare another audience');
    }
  }
}

const NO_KEYS: KeySource = { kind: 'inline', keys: [] };

/** The one source of keys that an issuer declares. */
function compileKeySource(issuer: string, { declared, path, report }: CompileContext): KeySource {
  const [source, ...others] = SOURCES.filter((name) => declared[name] !== undefined && declared[name] !== false);
  if (source === undefined) {
    const fix = 'declare jwks_uri, discovery: true, jwks, jwks_file or hs256_secret';
    report(path, 'the issuer has no key, so its tokens could not be verified', fix);
    return NO_KEYS;
  }
  if (others.length > 0) {
    const names = [source, ...others];
    const cause = names.includes('hs256_secret')
      ? `hs256_secret stands next to public keys (${names.filter((name) => name !== 'hs256_secret').join(', ')}): an issuer signs with one kind of key`
      : `the issuer has ${names.length} sources of keys: ${names.join(', ')}`;
    report(path, cause, 'keep one of them');
    return NO_KEYS;
  }
  const context = { declared, path: [...path, source], report };
  const text = readString(declared[source]) ?? '';
  switch (source) {
    case 'jwks':
      return { kind: 'inline', keys: compileKeys(context) };
    case 'jwks_file':
      return { kind: 'file', path: text };
    case 'jwks_uri':
      checkUrl(text, context);
      return { kind: 'uri', url: text };
    case 'discovery':
      checkUrl(issuer, { ...context, path: [...path, 'issuer'] });
      return { kind: 'discovery' };
    case 'hs256_secret':
      checkSecret(text, context);
      return { kind: 'secret', secret: text };
  }
}

/** Keys over plain http could be replaced on their way, except on this machine. */
function checkUrl(text: string, { path, report }: CompileContext): void {
  const problem = urlProblem(text);
  if (problem !== null) report(path, `'${text}' ${problem}`, 'write an https URL, such as https://id.example.com/');
}

function checkSecret(secret: string, { path, report }: CompileContext): void {
  const bytes = new TextEncoder().encode(secret).length;
  // An unset variable has been reported, and is empty here.
  if (bytes >= MIN_SECRET_BYTES || bytes === 0) return;
  const cause = `the secret has ${bytes} bytes; HS256 needs ${MIN_SECRET_BYTES} or more (RFC 7518 3.2)`;
  report(path, cause, 'use a random secret, such as the output of openssl rand -base64 48');
}

/** The keys of an inline set. Those for encryption may stand in it: issuers publish them together. */
function compileKeys({ declared, path, report }: CompileContext): readonly JsonObject[] {
  const keys = readArray(readObject(declared['jwks'])['keys']).filter((key) => isJsonObject(key));
  const usable = keys.filter((key, index) => {
    const verdict = judgeKey(key);
    const at = [...path, 'keys', index];
    if (verdict.kind === 'private') {
      const fix = 'remove its private members, and replace the key: it is known to all who have read the model';
      report(at, `this is no public key: ${verdict.reason}`, fix);
    } else if (verdict.kind !== 'usable' && key['use'] !== 'enc') {
      report(at, `the key cannot verify tokens: ${verdict.reason}`, 'use RS256, PS256, ES256 or Ed25519 keys');
    }
    return verdict.kind === 'usable';
  });
  if (keys.length > 0 && keys.every((key) => key['use'] === 'enc'))
    report([...path, 'keys'], 'all keys are for encryption', 'add the keys that sign the tokens');
  return usable;
}

/** Compiles `auth.gateway` and reports one that could name no caller (AUTH-6); null where the model declares none. */
function compileGateway({ declared, path, report }: CompileContext): GatewayRule | null {
  const gateway = readObject(declared['auth'])['gateway'];
  if (gateway === undefined) return null;
  if (readStrings(declared['trusted_proxies']).length === 0) {
    const fix = 'list the addresses of the gateway in trusted_proxies, such as [10.0.0.0/8]';
    report([...path, 'auth', 'gateway'], 'no peer is trusted, so the gateway could not identify callers', fix);
  }
  return { secret: readString(readObject(gateway)['secret']) ?? '' };
}
