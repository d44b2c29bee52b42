import { texts } from '../texts.ts';

/** The issuer where people sign in, and this page as its client. */
export interface Provider {
  readonly issuer: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** The addresses of an issuer that the page uses. */
interface Endpoints {
  readonly authorization: string;
  readonly token: string;
}

/** A sign-in that waits for the answer of the issuer. */
export interface PendingSignIn {
  readonly state: string;
  readonly verifier: string;
  /** The hash of the page that the user comes back to. */
  readonly hash: string;
}

/** The answer of the issuer in the address of the page. */
export interface IssuerAnswer {
  readonly state: string;
  readonly code: string | null;
  readonly error: string | null;
}

export interface IssuedToken {
  readonly token: string;
  /** Milliseconds until it ends; null if the issuer did not say. */
  readonly lifetime: number | null;
}

/** A sign-in that failed, with a text for people. */
export class SignInFailure extends Error {}

/** The address that the issuer sends people back to: this page. */
function findRedirectAddress(): string {
  return location.origin + location.pathname;
}

/**
 * Prepares a sign-in by authorization code with PKCE (RFC 7636).
 *
 * @returns the address at the issuer, and what the answer is checked with
 * @throws {SignInFailure} if the issuer cannot be read, or the page is not in a secure context
 */
export async function prepareSignIn(
  provider: Provider,
): Promise<{ readonly url: string; readonly pending: PendingSignIn }> {
  if (!isSecureContext) throw new SignInFailure(texts.signIn.insecure);
  const { authorization } = await discover(provider.issuer);
  const pending = { state: makeRandomText(), verifier: makeRandomText(), hash: location.hash };
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(pending.verifier));
  const url = new URL(authorization);
  const parameters = {
    response_type: 'code',
    client_id: provider.clientId,
    redirect_uri: findRedirectAddress(),
    state: pending.state,
    code_challenge: toBase64Url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
    ...(provider.scopes.length === 0 ? {} : { scope: provider.scopes.join(' ') }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, pending };
}

/**
 * Exchanges the code of an answer for a token.
 *
 * @throws {SignInFailure} if the issuer refused, or does not answer
 */
export async function redeemAnswer(
  provider: Provider,
  answer: IssuerAnswer,
  pending: PendingSignIn,
): Promise<IssuedToken> {
  if (answer.code === null) throw new SignInFailure(texts.signIn.issuerRefused(answer.error ?? ''));
  const { token } = await discover(provider.issuer);
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: answer.code,
    redirect_uri: findRedirectAddress(),
    client_id: provider.clientId,
    code_verifier: pending.verifier,
  });
  const { access_token, expires_in, error_description, error } = await readJson(token, { method: 'POST', body });
  if (typeof access_token !== 'string')
    throw new SignInFailure(
      texts.signIn.issuerRefused([error_description, error].find((each) => typeof each === 'string') ?? ''),
    );
  return { token: access_token, lifetime: typeof expires_in === 'number' ? expires_in * 1_000 : null };
}

/** Reads the answer of the issuer in the address of the page; null if there is none. */
export function readAnswer(search: string): IssuerAnswer | null {
  const parameters = new URLSearchParams(search);
  const [state, code, error] = ['state', 'code', 'error'].map((name) => parameters.get(name));
  if (typeof state !== 'string' || (code === null && error === null)) return null;
  const reason = parameters.get('error_description') ?? error ?? null;
  return { state, code: code ?? null, error: reason };
}

/** Reads the discovery document (OpenID Connect Discovery 4). */
async function discover(issuer: string): Promise<Endpoints> {
  const document = await readJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {});
  const { authorization_endpoint: authorization, token_endpoint: token } = document;
  const isComplete = typeof authorization === 'string' && typeof token === 'string';
  if (document['issuer'] !== issuer || !isComplete) throw new SignInFailure(texts.signIn.issuerUnknown(issuer));
  return { authorization, token };
}

async function readJson(url: string, init: RequestInit): Promise<Readonly<Record<string, unknown>>> {
  try {
    const response = await fetch(url, { ...init, credentials: 'omit', headers: { Accept: 'application/json' } });
    return await response.json();
  } catch {
    throw new SignInFailure(texts.signIn.issuerAway(new URL(url).host));
  }
}

function makeRandomText(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
