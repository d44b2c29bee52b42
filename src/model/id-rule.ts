import type { Pattern } from './value-type.ts';

/** The origin of ids: the server (UUIDv7), or the client, with an optional pattern. */
export type IdRule = { readonly kind: 'server' } | ClientIdRule;

/** The rule for ids that clients choose. */
export interface ClientIdRule {
  readonly kind: 'client';
  readonly pattern: Pattern | null;
  /** True if a row can be created without one. It gets a UUID, or the key that its table, or its fields, have. */
  readonly optional: boolean;
  /** True if an integer in a body is read as its digits (REP-4). */
  readonly number: boolean;
}
