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
    readonly types?: { readonly output: unknown } | undefined;
  };
}

/** What a schema may be written in. */
export type SchemaLike = SchemaObject | StandardSchema;

/** The values that a schema admits, as they are stored: what is not required may be null (REP-4). */
export type ValuesOf<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? T extends { readonly output: infer O }
    ? Stored<O>
    : never
  : FromSchema<S>;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Optional members become members that may be null. */
type Stored<T> = T extends readonly (infer I)[]
  ? Stored<I>[]
  : T extends object
    ? { [K in keyof T]-?: undefined extends T[K] ? Stored<Exclude<T[K], undefined>> | null : Stored<T[K]> }
    : T;

type FromSchema<S> = S extends { readonly enum: readonly (infer V)[] }
  ? V
  : S extends { readonly const: infer V }
    ? V
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
    : Record<string, unknown>;

/** An unset list is an empty one. */
type Unset<S> = S extends { readonly type: 'array' } ? never : null;

type RequiredOf<S> = S extends { readonly required: readonly (infer K)[] } ? K : never;
