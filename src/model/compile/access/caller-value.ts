import type { CallerMember, CallerValue } from '../../policy.ts';

/** The beginning of every name of a value of the caller. */
export const CALLER = '$caller.';
const CLAIMS = 'claims.';
const MEMBERS: readonly CallerMember[] = ['subject', 'owner', 'client', 'issuer', 'scopes'];

/** The names of the values of callers, without those of claims. */
export const CALLER_NAMES: readonly string[] = MEMBERS.map((name) => `${CALLER}${name}`);

/** Parses the name of a value of the caller, such as `$caller.claims.org.id`; null if there is no such value. */
export function parseCallerValue(text: string): CallerValue | null {
  if (!text.startsWith(CALLER)) return null;
  const name = text.slice(CALLER.length);
  const member = MEMBERS.find((each) => each === name);
  if (member !== undefined) return { kind: 'caller', member };
  const isClaim = name.startsWith(CLAIMS) && name.length > CLAIMS.length;
  return isClaim ? { kind: 'claim', path: name.slice(CLAIMS.length) } : null;
}
