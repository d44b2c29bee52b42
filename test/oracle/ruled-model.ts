/** A model with row policies, as the oracle reads it. */
export type RuledModel = Readonly<Record<string, RuledResource>>;

/** The callers that may use an operation. */
export type Rule = 'public' | 'authenticated' | { readonly scope: string };

export interface RuledResource {
  readonly name: string;
  readonly singular: string;
  readonly parent: string | null;
  readonly onParentDelete: 'restrict' | 'cascade';
  /** The maker of the ids. */
  readonly ids: 'client' | 'uuid';
  /** In their order. */
  readonly fields: Readonly<Record<string, RuledField>>;
  readonly read: Rule;
  readonly write: Rule;
  readonly owner: { readonly field: string; readonly bypass: string | null } | null;
  readonly rows: Readonly<Partial<Record<RowOperation, Tree>>>;
  readonly state: StateMachine | null;
}

export type RowOperation = 'read' | 'create' | 'update' | 'delete';

export interface StateMachine {
  readonly field: string;
  readonly initial: string;
  readonly transitions: Readonly<Record<string, readonly string[]>>;
}

export interface RuledField {
  readonly kind: 'text' | 'number' | 'boolean';
  /** The members of an enum. */
  readonly members?: readonly string[];
  readonly default?: string;
  readonly required?: boolean;
  readonly unique?: boolean;
  readonly readOnly?: boolean;
  readonly searched?: boolean;
  /** Rules on the field, besides those of its resource. */
  readonly access?: { readonly read?: Rule; readonly write?: Rule };
  readonly reference?: {
    readonly resource: string;
    readonly as: string;
    readonly inverse: string | null;
    readonly onDelete: 'restrict' | 'cascade' | 'nullify';
  };
}

/** A tree of a policy, as a model declares it. */
export type Tree = boolean | { readonly [name: string]: unknown };

/** null for all that an anonymous caller lacks. */
export interface RuledCaller {
  readonly subject: string | null;
  readonly scopes: readonly string[] | null;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Judges a rule by the scopes of a caller. */
export function fulfils(rule: Rule, { scopes }: Pick<RuledCaller, 'scopes'>): boolean {
  return rule === 'public' || (scopes !== null && (rule === 'authenticated' || scopes.includes(rule.scope)));
}

/** Finds out if a field exists for a caller (REP-11). */
export function isShown({ access }: RuledField, caller: RuledCaller): boolean {
  return fulfils(access?.read ?? 'public', caller);
}

/** Finds out if a caller may change a field that it reads. */
export function isWritable({ access }: RuledField, caller: RuledCaller): boolean {
  return fulfils(access?.write ?? 'public', caller);
}

/** The error code of a resource begins with it. */
export function errorPrefix({ singular }: RuledResource): string {
  return singular.toUpperCase();
}
