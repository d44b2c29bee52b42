import type { Pattern } from './value-type.ts';

/** The origin of ids: the server (UUIDv7), or the client, with an optional pattern. */
export type IdRule = { readonly kind: 'server' } | ClientIdRule;

/** The rule for ids that clients choose. */
export interface ClientIdRule {
  readonly kind: 'client';
  readonly pattern: Pattern | null;
  /** True if a row that is created without an id gets a UUID. */
  readonly optional: boolean;
  /** True if an integer in a body is read as its digits (REP-4). */
  readonly number: boolean;
}
