import { isRequestError } from 'restwright/client';
import type { Row } from '../api/calls.ts';

/** The typed values of a key that is not made yet. */
export interface KeyDraft {
  readonly name: string;
  readonly scopes: ReadonlySet<string>;
  /** As the control of a local time has it; empty for none. */
  readonly expires: string;
}

export const EMPTY_DRAFT: KeyDraft = { name: '', scopes: new Set(), expires: '' };

/** The problems of a form: one for each field, and one of the whole. */
export interface FormProblems {
  readonly fields: ReadonlyMap<string, string>;
  readonly whole: string | null;
}

export const NO_PROBLEMS: FormProblems = { fields: new Map(), whole: null };

/** The controls of the form, in their order. */
export const KEY_FIELDS = ['name', 'scopes', 'expires_at'] as const;

/** Reads why a creation failed. What belongs to no control is a problem of the whole form. */
export function readProblems(error: unknown): FormProblems {
  const message = error instanceof Error ? error.message : String(error);
  const details = isRequestError(error) ? error.details : [];
  const fields = new Map(
    details.flatMap((detail) => {
      const field = KEY_FIELDS.find((each) => detail.field?.split(/[.[]/)[0] === each);
      return field === undefined ? [] : [[field, detail.message] as const];
    }),
  );
  return { fields, whole: fields.size === 0 ? message : null };
}

/** The body of the request that creates a key. */
export function toBody({ name, scopes, expires }: KeyDraft): Readonly<Record<string, unknown>> {
  const body = { name: name.trim(), scopes: [...scopes] };
  return expires === '' ? body : { ...body, expires_at: new Date(expires).toISOString() };
}

/** A member of a row as text; empty if it is none. */
export function readMember(row: Row, member: string): string {
  const value = row[member];
  return typeof value === 'string' ? value : '';
}

/** The scopes of a key. */
export function readScopes({ scopes }: Row): readonly string[] {
  return Array.isArray(scopes) ? scopes.map(String) : [];
}
