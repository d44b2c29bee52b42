import type { Issuer } from './auth-rules.ts';

/** Ends the name of an issuer in owner fields, so that no name contains it (AUTH-9b). */
export const NAME_END = ':';

/** Replaces a colon in names, such as the one before a port. */
const REPLACEMENT = '~';

/** Replaces each colon of a name: `id.example.com~8443`. */
export function withoutColons(name: string): string {
  return name.replaceAll(NAME_END, REPLACEMENT);
}

/** The name that a default one had while names could contain colons; null if it had none. */
export function withColons(name: string): string | null {
  return name.includes(REPLACEMENT) ? name.replaceAll(REPLACEMENT, NAME_END) : null;
}

/** Parses the host of an issuer with its port; empty if it has none. */
export function issuerHost(issuer: string): string {
  return URL.parse(issuer)?.host ?? '';
}

/** Lists the names that an issuer may have had while names could contain colons, and its name. */
export function earlierIssuerNames({ name, issuer }: Pick<Issuer, 'name' | 'issuer'>): readonly string[] {
  const host = issuerHost(issuer);
  return [...new Set([name, withColons(name) ?? name, ...(host === '' ? [] : [host])])];
}

/** Finds the current name of an issuer that a stored caller names as it was called then. */
export function currentIssuerName(stored: string, issuers: readonly Pick<Issuer, 'name' | 'issuer'>[]): string {
  if (!stored.includes(NAME_END)) return stored;
  return issuers.find((each) => earlierIssuerNames(each).includes(stored))?.name ?? stored;
}
