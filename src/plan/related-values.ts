/**
 * The fields of a row that are recorded with its events and its tombstone: those that policies on reading compare
 * (EVT-8, MET-4).
 */
export interface RecordedFields {
  readonly fields: readonly string[];
  readonly related: readonly RelatedFields[];
}

/** Those of the row that a reference leads to. */
export interface RelatedFields extends RecordedFields {
  /** The reference: a field, or the id of the parent. */
  readonly field: string;
  /** Name of the resource that it refers to. */
  readonly resource: string;
}

/** The keys of the rows that references lead to, by field: null for a reference that is unset. */
export type ReferenceKeys = Readonly<Record<string, readonly string[] | null>>;

/** The values that the store records of the rows that a row refers to, as of the transaction of its write. */
export interface RelatedValues {
  readonly related: readonly RelatedFields[];
  /** null where the row did not exist. */
  readonly before: ReferenceKeys | null;
  /** null where it does not exist any more. */
  readonly after: ReferenceKeys | null;
}

/**
 * The member of recorded values that holds those of the row that a reference leads to; null where it is unset. No field
 * has a space.
 */
export function relatedMember(field: string): string {
  return `${field} row`;
}
