import type { RowRule } from './policy.ts';

/** The callers that may do an operation (AUTH-4). */
export type AccessRule =
  | { readonly kind: 'public' }
  /** Any caller whose credentials were verified. */
  | { readonly kind: 'authenticated' }
  | { readonly kind: 'scope'; readonly scope: string };

export type AccessOperation = 'read' | 'create' | 'update' | 'delete';

/** The access rule of each operation. */
export type ResourceAccess = Readonly<Record<AccessOperation, AccessRule>>;

/** The rules on a field besides those of its resource; null where there is none. */
export interface FieldAccess {
  readonly read: AccessRule | null;
  readonly write: AccessRule | null;
}

/**
 * The rules on rows of each operation: all of them hold for a row that a caller may read, create, ... Without rules it
 * is every row (AUTH-5).
 */
export type RowRules = Readonly<Record<AccessOperation, readonly RowRule[]>>;

/** True if some callers that fulfil the other rule do not fulfil this one. */
export function isNarrower(rule: AccessRule, than: AccessRule): boolean {
  switch (rule.kind) {
    case 'public':
      return false;
    case 'authenticated':
      return than.kind === 'public';
    case 'scope':
      return than.kind !== 'scope' || than.scope !== rule.scope;
  }
}
