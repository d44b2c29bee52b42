/** The links of a representation or page: URLs by the name of the relation. */
export interface ResourceLinks {
  readonly self: string;
  readonly collection: string;
  readonly [relation: string]: string | undefined;
}

/** The members of every item besides its fields. */
export interface ItemMembers {
  readonly id: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  readonly updated_at: string;
  /**
   * Changes with every change of the item. A write that is given the item is made only if it still has this revision.
   */
  readonly revision: number;
  readonly links: ResourceLinks;
}

/** The operators of every scalar (QRY-1). */
interface ScalarOperators<V> {
  readonly eq?: V;
  readonly ne?: V;
  readonly gt?: V;
  readonly gte?: V;
  readonly lt?: V;
  readonly lte?: V;
  readonly in?: readonly V[];
  readonly nin?: readonly V[];
  readonly exists?: boolean;
}

/** The operators of text. The parts of a text are compared literally and case-sensitively (QRY-7). */
interface TextOperators<V> extends ScalarOperators<V> {
  readonly contains?: string;
  readonly starts_with?: string;
}

/**
 * A filter on a number, a boolean, or a text compared by its value, such as a date-time or a decimal. It is a value,
 * several values of which any matches, or operators.
 */
export type ScalarFilter<V> = V | readonly V[] | ScalarOperators<V>;

/** A filter on text. */
export type TextFilter<V extends string = string> = V | readonly V[] | TextOperators<V>;

/** A filter on any JSON, or on a value in it. A number is also compared with the text that writes it. */
export type JsonFilter =
  | string
  | number
  | boolean
  | readonly (string | number | boolean)[]
  | TextOperators<string | number | boolean>;

/** A filter on an array. */
export interface ListFilter<V> {
  /** True if it has this item. */
  readonly contains?: V;
  readonly exists?: boolean;
}

/** The target of a relation: one item of a resource, or a page of several. */
export interface RelationType {
  readonly to: string;
  readonly many: boolean;
}

/**
 * The types of one resource. `restwright client` writes them, and {@link ApiOf} infers them from a TypeScript model.
 */
export interface ResourceTypes {
  /** The type of items that reads return, without expanded relations. */
  readonly item: object;
  /** The additional members of the response to a creation: secrets that are shown once. */
  readonly shown_once: object;
  /** The body that creates an item. */
  readonly body: object;
  /** The names of the fields that only a creation sets. */
  readonly immutable: string;
  /** The filters of each path. */
  readonly filters: object;
  /** The paths that `sort` can name. */
  readonly sort: string;
  /** {@link RelationType} by name. */
  readonly relations: object;
  /** The resource whose items this one is nested below. */
  readonly parent: string | null;
  /** The prefix of its error codes: `PRODUCT`; `string` if it is not known. */
  readonly error_prefix: string;
}

/** A major version, or MAJOR.MINOR. */
export type ApiVersion = number | `${number}.${number}`;

/** The types of an API. */
export interface ApiTypes {
  /**
   * The version that the types describe: a major version, or MAJOR.MINOR if a newer minor of it exists. It includes
   * `undefined` if requests without a version get it.
   */
  readonly version: ApiVersion | undefined;
  /** {@link ResourceTypes} by name. */
  readonly resources: object;
}

/** The names of the resources of an API. */
export type ResourceName<A extends ApiTypes> = keyof A['resources'] & string;

/** One of the types of a resource. The others are not looked at: those of a large API are many. */
export type PartOf<A extends ApiTypes, K, M extends keyof ResourceTypes> = K extends keyof A['resources']
  ? A['resources'][K] extends { readonly [_ in M]: infer T }
    ? T
    : never
  : never;

/** The prefixes of the error codes of an API; `string` if one of them is not known. */
export type ErrorPrefix<A extends ApiTypes> = [ResourceName<A>] extends [never]
  ? string
  : PartOf<A, ResourceName<A>, 'error_prefix'> & string;
