import type { ConsoleConfig } from './config.ts';
import {
  type IssuedToken,
  type IssuerAnswer,
  type PendingSignIn,
  prepareSignIn,
  type Provider,
  readAnswer,
  redeemAnswer,
  SignInFailure,
} from './provider.ts';
import type { Session } from './session.ts';
import { texts } from '../texts.ts';

/** The place of a sign-in while the page is at the issuer, and the channel from a window that returns. */
const NAME = 'console-sign-in';
/** The longest time of a timer of the platform, in milliseconds. */
const LONGEST_TIMER = 2_147_483_647;

/** The start of this page: alone, back from the issuer, or as a window that only carries an answer. */
export type PageStart = { readonly isWindow: boolean; readonly problem: string | null };

/** The provider of a configuration; null if people give a token instead. */
export function findProvider({ issuer, client_id: clientId, scopes }: ConsoleConfig): Provider | null {
  return issuer === null || clientId === null ? null : { issuer, clientId, scopes };
}

/** Leaves the page for the issuer. @throws {SignInFailure} before it leaves */
export async function leaveForIssuer(provider: Provider): Promise<void> {
  const { url, pending } = await prepareSignIn(provider);
  sessionStorage.setItem(NAME, JSON.stringify(pending));
  location.assign(url);
}

/**
 * Signs in within another window: what was typed in this one stays.
 *
 * @throws {SignInFailure} if the window cannot be opened, or the issuer refuses
 */
export async function signInByWindow(provider: Provider, session: Session, signal: AbortSignal): Promise<void> {
  // A window may only be opened in the turn of the click.
  const opened = window.open('', '_blank', 'popup,width=480,height=640');
  if (opened === null) throw new SignInFailure(texts.signIn.blocked);
  try {
    const { url, pending } = await prepareSignIn(provider);
    const answered = waitForAnswer(pending, signal);
    opened.location.href = url;
    keepToken(session, await redeemAnswer(provider, await answered, pending));
  } catch (error) {
    opened.close();
    throw error;
  }
}

/** Waits for the window that returns with the state of a sign-in. The policy of the page cuts any other tie to it. */
function waitForAnswer({ state }: PendingSignIn, signal: AbortSignal): Promise<IssuerAnswer> {
  const channel = new BroadcastChannel(NAME);
  return new Promise<IssuerAnswer>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new SignInFailure(texts.signIn.given)));
    channel.addEventListener('message', ({ data }: MessageEvent<IssuerAnswer>) => {
      if (data.state === state) resolve(data);
    });
  }).finally(() => channel.close());
}

/** Finishes a sign-in whose answer is in the address of the page, and removes the answer from it. */
export async function finishReturn(provider: Provider | null, session: Session): Promise<PageStart> {
  const answer = readAnswer(location.search);
  if (provider === null || answer === null) return { isWindow: false, problem: null };
  const pending = takePending(answer.state);
  history.replaceState(null, '', location.pathname + (pending?.hash ?? ''));
  if (pending === null) return passOn(answer);
  try {
    keepToken(session, await redeemAnswer(provider, answer, pending));
    return { isWindow: false, problem: null };
  } catch (error) {
    return { isWindow: false, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Takes the sign-in with a state from the storage: it is there only while the page is away. */
function takePending(state: string): PendingSignIn | null {
  const stored = sessionStorage.getItem(NAME);
  sessionStorage.removeItem(NAME);
  const pending: PendingSignIn | null = stored === null ? null : JSON.parse(stored);
  return pending?.state === state ? pending : null;
}

/** Gives an answer to the page that waits for it: only that page can use the code. */
function passOn(answer: IssuerAnswer): PageStart {
  const port = new BroadcastChannel(NAME);
  port.postMessage(answer);
  port.close();
  window.close();
  return { isWindow: true, problem: null };
}

/** Uses a token, and asks for another one when it ends. */
function keepToken(session: Session, { token, lifetime }: IssuedToken): void {
  session.signIn(token);
  if (lifetime === null || lifetime > LONGEST_TIMER) return;
  setTimeout(() => void session.renew(token), lifetime);
}
