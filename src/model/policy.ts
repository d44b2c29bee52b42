import type { Json, JsonObject } from '../conventions/json/json.ts';
import type { ComparisonOperator } from './operators.ts';

/**
 * A condition on which rows a caller may see or change, before a caller is known (AUTH-5). It is three-valued:
 * {@link PolicyComparison}.
 */
export type Policy =
  /** Without policies, `all` holds for every row and `any` for none. */
  | { readonly kind: 'all' | 'any'; readonly policies: readonly Policy[] }
  | { readonly kind: 'not'; readonly policy: Policy }
  /** True if the caller has a scope. */
  | { readonly kind: 'scope'; readonly scope: string }
  | PolicyComparison;

/**
 * A comparison of a field. It is unknown where its value is a claim that the caller does not have, or one of another
 * type than the field.
 */
export interface PolicyComparison {
  readonly kind: 'compare';
  /** The references that lead to the row with the field; none for a field of the row itself. */
  readonly references: readonly PolicyReference[];
  /** Name of the resource of that row. */
  readonly resource: string;
  /** A condition on a property of that resource. */
  readonly path: string;
  readonly operator: ComparisonOperator;
  readonly value: PolicyValue;
}

/** A reference to one row. */
export interface PolicyReference {
  readonly field: string;
  /** Name of the resource that it refers to. */
  readonly resource: string;
}

/** The value that a field is compared with. */
export type PolicyValue =
  /** In stored form. No field is compared with null: the comparison is unknown. */
  | { readonly kind: 'literal'; readonly value: Json }
  | CallerValue
  /** Each of them is a single value. */
  | { readonly kind: 'list'; readonly values: readonly PolicyValue[] };

/** A value of the caller. */
export type CallerValue =
  | { readonly kind: 'caller'; readonly member: CallerMember }
  /** The name of the claim, or a dotted path to a member of it. */
  | { readonly kind: 'claim'; readonly path: string };

/** A name of the caller. `owner` is the form of owner fields (AUTH-9). */
export type CallerMember = 'subject' | 'client' | 'issuer' | 'scopes' | 'owner';

/** The caller that policies are bound to. */
export interface PolicyCaller {
  /** null for an anonymous caller, like all that it does not have. */
  readonly subject: string | null;
  readonly client: string | null;
  /** The name of the issuer in the model. */
  readonly issuer: string | null;
  /** As owner fields name it. */
  readonly owner: string | null;
  readonly scopes: ReadonlySet<string> | null;
  readonly claims: JsonObject;
}

/** One of the rules that decide on a row: all of them hold for a row that the caller may access. */
export type RowRule =
  | { readonly kind: 'policy'; readonly policy: Policy }
  /**
   * A function of a TypeScript model, which gets the caller and returns the tree of a policy. Nothing of its result is
   * checked yet.
   */
  | { readonly kind: 'function'; readonly policyOf: PolicyFunction };

/** Makes the tree of a policy for a caller. */
export type PolicyFunction = (caller: PolicyCaller) => unknown;
