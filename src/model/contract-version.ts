import type { Json, JsonObject } from '../conventions/json/json.ts';

/** The version of a contract, MAJOR.MINOR.PATCH. */
export interface ContractVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/**
 * A change between a version and its successor, the next newer one. `resource` is the key of the resource in the model
 * document, which is the same in all versions. `from` is a name of this version, `to` one of its successor. All changes
 * of a version apply together: none sees the names that another one makes. A field is part of at most one change,
 * except that `values` may go with a `rename` or a `move`.
 */
export type VersionChange =
  /**
   * A field, or by dotted path a member of an object field, whose object is the same one (by its own name in each
   * version).
   */
  | { readonly kind: 'rename'; readonly resource: string; readonly from: string; readonly to: string }
  /** This version does not know the field of its successor: responses omit it, writes keep it. */
  | { readonly kind: 'without'; readonly resource: string; readonly field: string }
  /** The value of a field of its successor, which this version is without, in a row that it creates. */
  | { readonly kind: 'fill'; readonly resource: string; readonly field: string; readonly value: Json }
  /**
   * Other values of a field, by its name in this version; of an array, of its items. What is in neither map is the same
   * in both versions.
   */
  | {
      readonly kind: 'values';
      readonly resource: string;
      readonly field: string;
      /** Values of the successor, by the JSON text of those of this version. */
      readonly up: ReadonlyMap<string, Json>;
      /** Values of this version, by the JSON text of those of the successor. */
      readonly down: ReadonlyMap<string, Json>;
      readonly isOneToOne: boolean;
    }
  /**
   * A field that its successor does not have: responses have `out`, requests may have any value of its schema, which is
   * dropped.
   */
  | { readonly kind: 'with'; readonly resource: string; readonly field: string; readonly out: Json }
  /** Another collection or singular: the model of this version has them. */
  | { readonly kind: 'names'; readonly resource: string }
  /** This version does not have the resource. */
  | { readonly kind: 'absent'; readonly resource: string }
  /** A field in another place: dotted paths, into an object, out of one or between two. */
  | { readonly kind: 'move'; readonly resource: string; readonly from: string; readonly to: string }
  /** Fields that functions convert: one to several, several to one or one to one. */
  | {
      readonly kind: 'convert';
      readonly resource: string;
      readonly from: readonly string[];
      readonly to: readonly string[];
      /** Pure: from the values of `from`, by name, to those of `to`. */
      readonly up: (values: JsonObject) => JsonObject;
      readonly down: (values: JsonObject) => JsonObject;
    };

/** The paths of the successor that a change replaces. */
export function newerPaths(change: VersionChange): readonly string[] {
  switch (change.kind) {
    case 'rename':
    case 'move':
      return [change.to];
    case 'without':
      return [change.field];
    case 'convert':
      return change.to;
    case 'with':
    case 'fill':
    case 'values':
    case 'names':
    case 'absent':
      return [];
  }
}

/** The paths that a change adds to the older version. */
export function olderPaths(change: VersionChange): readonly string[] {
  switch (change.kind) {
    case 'rename':
    case 'move':
      return [change.from];
    case 'with':
      return [change.field];
    case 'convert':
      return change.from;
    case 'without':
    case 'fill':
    case 'values':
    case 'names':
    case 'absent':
      return [];
  }
}
