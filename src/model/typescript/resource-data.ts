import type { PolicyCaller } from '../policy.ts';

/**
 * A row policy: `true`, `false`, or a tree of `all`, `any` and `not` over `field: value` and
 * `field: { operator: value }`. A value that is undefined or null makes its comparison unknown, so that no row is
 * visible by it.
 */
export type PolicyTree = boolean | object;

/**
 * A row policy, or a function that makes it of the caller. It is pure and synchronous: its result is kept with the
 * token.
 */
type RowPolicy = PolicyTree | ((caller: PolicyCaller) => PolicyTree);

type AccessRuleData = 'public' | 'authenticated' | { readonly scope: string };

/** The callers that may do each operation. */
export interface AccessData {
  readonly read?: AccessRuleData;
  readonly write?: AccessRuleData;
  readonly create?: AccessRuleData;
  readonly update?: AccessRuleData;
  readonly delete?: AccessRuleData;
  readonly owner?: string | { readonly field: string; readonly bypass?: string };
  /** `create`, `update` and `delete` default to `read`. */
  readonly rows?: {
    readonly read?: RowPolicy;
    readonly create?: RowPolicy;
    readonly update?: RowPolicy;
    readonly delete?: RowPolicy;
  };
  readonly fields?: Readonly<Record<string, { readonly read?: AccessRuleData; readonly write?: AccessRuleData }>>;
}

/** The long form of `parent`. @typeParam P name of the resource @typeParam V name of the relation to the children */
export interface ParentData<P extends string = string, V extends string = string> {
  readonly resource: P;
  readonly as?: string;
  readonly inverse?: V;
}

/** The data of a resource, as in a model document. */
export interface ResourceData {
  readonly singular?: string;
  readonly noun?: boolean;
  readonly error_prefix?: string;
  readonly was?: string;
  readonly table?: string;
  readonly key?: string | readonly string[];
  readonly columns?: Readonly<Record<string, string>>;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly id?:
    | 'uuid'
    | 'client'
    | { readonly client: true | string; readonly optional?: boolean; readonly number?: boolean };
  readonly parent?: string | ParentData;
  readonly on_parent_delete?: 'restrict' | 'cascade';
  readonly unique?: readonly (readonly string[])[];
  readonly state?: object;
  readonly indexes?: readonly (string | readonly string[])[];
  readonly search?: readonly string[];
  readonly sort?: string;
  readonly time_field?: string;
  readonly sortable?: readonly string[];
  readonly filterable?: readonly string[];
  readonly access?: AccessData;
  readonly cache?: { readonly max_age: number; readonly scope?: 'public' | 'private' };
  readonly read_only?: boolean;
  readonly require_if_match?: boolean;
  readonly idempotency?: 'optional' | 'required';
  readonly tombstones?: string;
  readonly events?: 'thin' | 'full' | 'none';
}
