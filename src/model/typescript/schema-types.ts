/** JSON Schema as far as its type can be told: plain, or made by TypeBox, whose values are JSON Schema. */
export interface SchemaObject {
  readonly type: 'object';
  readonly properties?: object;
  readonly required?: readonly string[];
}

/** A schema of another library that gives JSON Schema through Standard Schema, such as Zod 4 and ArkType 2. */
export interface StandardSchema {
  readonly '~standard': {
    readonly jsonSchema: { readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown> };
    readonly types?: { readonly input: unknown } | undefined;
  };
}

/** What a schema may be written in. */
export type SchemaLike = SchemaObject | StandardSchema;

/**
 * The values that a schema admits, as they are stored: what is not required may be null (REP-4). Of another library these are its input
 * values, which its JSON Schema describes: what it would make of them is not run.
 */
export type ValuesOf<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? T extends { readonly input: infer I }
    ? Stored<I>
    : never
  : FromSchema<S>;

/** A value that its reader leaves as it is. */
export type DeepReadonly<T> = T extends readonly (infer I)[]
  ? readonly DeepReadonly<I>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Optional members become members that may be null; an unset list is an empty one. */
type Stored<T> = T extends readonly (infer I)[]
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

/** An unset list is an empty one. */
type Unset<S> = S extends { readonly type: 'array' } ? never : null;

type RequiredOf<S> = S extends { readonly required: readonly (infer K)[] } ? K : never;
