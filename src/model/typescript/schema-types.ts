/** A JSON Schema whose type can be inferred: an object literal, or a schema of TypeBox. */
export interface SchemaObject {
  readonly type: 'object';
  readonly properties?: object;
  readonly required?: readonly string[];
}

/** A schema of a library that converts to JSON Schema through Standard Schema, such as Zod 4 or ArkType 2. */
export interface StandardSchema {
  readonly '~standard': {
    readonly jsonSchema: { readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown> };
    readonly types?: { readonly input: unknown; readonly output?: unknown } | undefined;
  };
}

/** The supported kinds of schemas. */
export type SchemaLike = SchemaObject | StandardSchema;

/**
 * The type of the stored values of a schema: optional members may be null (REP-4). For a library it is the input type,
 * which its JSON Schema describes.
 */
export type ValuesOf<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? T extends { readonly input: infer I }
    ? Stored<I>
    : never
  : FromSchema<S>;

/** Nothing for a schema whose transforms return what its input allows, else an error that no schema satisfies. */
export type Transformed<S> = S extends {
  readonly '~standard': { readonly types?: { readonly input: infer I; readonly output: infer O } | undefined };
}
  ? [Stored<O>] extends [Stored<I>]
    ? unknown
    : { readonly error: 'a transform returns another type than clients send and read' }
  : unknown;

/** The type with all members read-only, at any depth. */
export type DeepReadonly<T> = T extends readonly (infer I)[]
  ? readonly DeepReadonly<I>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Optional members become nullable; an unset array is empty. */
type Stored<T> = T extends string | number | boolean
  ? T
  : T extends readonly (infer I)[]
    ? Stored<I>[]
    : T extends object
      ? { [K in keyof T]-?: undefined extends T[K] ? StoredOptional<Exclude<T[K], undefined>> : Stored<T[K]> }
      : T;

type StoredOptional<T> = [T] extends [readonly unknown[]] ? Stored<T> : Stored<T> | null;

type FromSchema<S> = S extends { readonly enum: readonly (infer V)[] }
  ? V
  : S extends { readonly const: infer V }
    ? V
    : S extends { readonly anyOf: readonly (infer B)[] }
      ? FromSchema<B>
      : S extends { readonly type: infer T }
        ? FromType<T, S>
        : unknown;

type FromType<T, S> = T extends readonly (infer U)[]
  ? FromType<U, S>
  : T extends 'string'
    ? string
    : T extends 'integer' | 'number'
      ? number
      : T extends 'boolean'
        ? boolean
        : T extends 'null'
          ? null
          : T extends 'array'
            ? FromItems<S>
            : T extends 'object'
              ? FromObject<S>
              : unknown;

type FromItems<S> = S extends { readonly items: infer I } ? FromSchema<I>[] : unknown[];

type FromObject<S> = S extends { readonly properties: infer P }
  ? Mutable<{ [K in keyof P]: K extends RequiredOf<S> ? FromSchema<P[K]> : FromSchema<P[K]> | Unset<P[K]> }>
  : S extends { readonly additionalProperties: infer A }
    ? Record<string, FromSchema<A>>
    : S extends { readonly patternProperties: infer A }
      ? Record<string, FromSchema<A[keyof A]>>
      : Record<string, unknown>;

/** The value of an unset member: an unset array is empty. */
type Unset<S> = S extends { readonly type: 'array' } ? never : null;

type RequiredOf<S> = S extends { readonly required: readonly (infer K)[] } ? K : never;
