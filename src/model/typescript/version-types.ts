import type { Json, JsonObject } from '../../conventions/json/json.ts';

// Functions are methods here, so that a model may name the types of their parameters, which the schemas say and these
// types do not.

/**
 * Two pure, synchronous functions. They are not called where every value that they would get is null: then all that
 * they would make is null. They must not return null for another value of a required field.
 */
interface Converter<Older, Newer> {
  /** From the value of this version to that of its successor. */
  up(value: Older): Newer;
  down(value: Newer): Older;
}

/** No functions: data says how values convert. */
interface NoConverter {
  readonly up?: never;
  readonly down?: never;
}

/** Texts are split at the separator, and joined with it. */
interface Separated extends NoConverter {
  readonly separator: string;
}

/** A field that is several ones of the successor. `up` and `down` get and return an object of these. */
type SplitData = (Converter<Json, JsonObject> | Separated) & {
  /** Schema of the field of this version. */
  readonly schema: object;
  /** The fields of the successor. */
  readonly into: readonly string[];
};

/** Several fields that are one of the successor. */
type JoinData = (Converter<JsonObject, Json> | Separated) & {
  /** The fields of this version, with their schemas. */
  readonly from: Readonly<Record<string, object>>;
};

/** A field that has another type in the successor: scalars need no functions. */
type TypeData = (Converter<Json, Json> | NoConverter) & {
  /** Schema of the field of this version. */
  readonly schema: object;
  /** The name in the successor; default: the same. */
  readonly to?: string;
};

/**
 * The changes of one resource between a version and its successor, as in a model document; `split`, `join` and `type`
 * may have functions.
 */
interface ChangeData<Names extends string> {
  readonly resource: Names;
  readonly rename?: Readonly<Record<string, string>>;
  readonly without?: readonly string[];
  readonly fill?: Readonly<Record<string, Json>>;
  readonly values?: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly default_out?: Readonly<Record<string, Json>>;
  readonly with?: Readonly<Record<string, { readonly schema: object; readonly out?: Json }>>;
  readonly collection?: string;
  readonly singular?: string;
  readonly absent?: true;
  readonly move?: Readonly<Record<string, string>>;
  /** By the field of this version. */
  readonly split?: Readonly<Record<string, SplitData>>;
  /** By the field of the successor. */
  readonly join?: Readonly<Record<string, JoinData>>;
  /** By the field of this version. */
  readonly type?: Readonly<Record<string, TypeData>>;
}

/** The older versions of a model by MAJOR.MINOR.PATCH, newest first. @typeParam Names of its resources */
export type VersionsData<Names extends string> = Readonly<
  Record<
    string,
    {
      /** A date, such as 2026-06-01. */
      readonly deprecated?: string;
      readonly sunset?: string;
      /** The URL of a page about its deprecation. */
      readonly deprecation_page?: string;
      /** Requests get 410. */
      readonly retired?: boolean;
      readonly changes?: readonly ChangeData<Names>[];
    }
  >
>;

/** The versions from which the types of clients follow: as text, with the changes of older ones. */
export interface ModelFacts {
  readonly version?: string;
  readonly default_version?: number;
  readonly versions?: object;
}
