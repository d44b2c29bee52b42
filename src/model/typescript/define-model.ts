import type { EventEnvelope } from '../../conventions/event.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import type { HookServices, WriteInfo } from './hooks.ts';
import type { DeepReadonly, SchemaLike, ValuesOf } from './schema-types.ts';

/** The members of every row that the server sets. */
export interface SystemFields {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly revision: number;
}

/** A read-only member that is computed for each representation by a pure, synchronous function. It cannot be filtered or sorted. */
export interface ComputedDefinition<R, F extends keyof R> {
  readonly schema: object;
  /** The fields that it is computed from. */
  readonly from: readonly F[];
  /** Gets only these fields and the id. */
  readonly value: (row: DeepReadonly<Pick<R, F>> & Pick<SystemFields, 'id'>) => unknown;
}

/** The fields that each computed member of a resource is computed from. */
type ComputedReads<R> = Readonly<Record<string, keyof R>>;

/** The functions of a resource: `R` is the type of its values, `S` of the application's services, `C` maps computed members to fields. */
export interface ResourceCode<R, S, C extends ComputedReads<R> = ComputedReads<R>> {
  readonly computed?: { readonly [K in keyof C]: ComputedDefinition<R, C[K]> };
  /** Runs before a write. Can change the draft, or refuse the write with `refuse`. */
  readonly before?: {
    readonly create?: (draft: R, context: S & WriteInfo) => MaybePromise<R | undefined | void>;
    readonly update?: (
      draft: R,
      context: S & WriteInfo,
      current: DeepReadonly<R & SystemFields>,
    ) => MaybePromise<R | undefined | void>;
    readonly delete?: (row: DeepReadonly<R & SystemFields>, context: S & WriteInfo) => MaybePromise<void>;
  };
  /** Checks of changed values, by field. Returns an error message without the name of the field, or null. */
  readonly check?: {
    readonly [K in keyof R]?: (value: NonNullable<R[K]>, context: S & WriteInfo) => MaybePromise<string | null>;
  };
  /** Runs for each event in the event log, at least once and after the response. */
  readonly after?: {
    readonly created?: (event: EventEnvelope, context: S) => MaybePromise<void>;
    readonly updated?: (event: EventEnvelope, context: S) => MaybePromise<void>;
    readonly deleted?: (event: EventEnvelope, context: S) => MaybePromise<void>;
  };
  /** Not supported yet: gets the caller and returns a filter. */
  readonly policy?: (caller: unknown) => unknown;
}

/** The data of a resource, as in a model document. */
export interface ResourceData {
  readonly singular?: string;
  readonly noun?: boolean;
  readonly error_prefix?: string;
  readonly was?: string;
  readonly id?: 'uuid' | 'client' | { readonly client: string };
  readonly parent?: string;
  readonly on_parent_delete?: 'restrict' | 'cascade';
  readonly unique?: readonly (readonly string[])[];
  readonly state?: object;
  readonly indexes?: readonly (string | readonly string[])[];
  readonly search?: readonly string[];
  readonly sort?: string;
  readonly time_field?: string;
  readonly sortable?: readonly string[];
  readonly filterable?: readonly string[];
  readonly access?: object;
  readonly cache?: { readonly max_age: number; readonly scope?: 'public' | 'private' };
  readonly require_if_match?: boolean;
  readonly idempotency?: 'optional' | 'required';
  readonly tombstones?: string;
  readonly events?: 'thin' | 'full' | 'none';
}

/** A resource of a TypeScript model. */
export type ResourceDefinition<T extends SchemaLike, S, C extends ComputedReads<ValuesOf<T>>> = ResourceData & {
  readonly schema: T;
} & ResourceCode<ValuesOf<T>, S, C>;

/** A resource without the types of its values, as `resource` returns it. */
export type DefinedResource = ResourceData & { readonly schema: SchemaLike } & {
  readonly [code in keyof ResourceCode<unknown, unknown>]?: unknown;
};

/** The settings of a model, as in a model document. */
export interface ModelData {
  readonly name: string;
  readonly title?: string;
  readonly version?: string;
  readonly base_path?: string;
  readonly public_url?: string;
  readonly default_version?: number;
  readonly secret?: string;
  readonly auth?: object;
  readonly trusted_proxies?: readonly string[];
  readonly require_tls?: boolean;
  readonly cors?: object;
  readonly limits?: object;
  readonly events?: object;
  readonly webhooks?: object;
  readonly system?: object;
  readonly versions?: object;
  readonly $defs?: object;
}

/** A TypeScript model. Its hooks get `services` from the application. */
export type ModelDefinition<S> = ModelData & {
  readonly resources: Readonly<Record<string, DefinedResource>>;
} & (keyof S extends never ? { readonly services?: S } : { readonly services: S });

const DEFINED = Symbol.for('restwright.model');

/** The result of `defineModel`. A module can be served if this is its default export. */
export interface DefinedModel {
  readonly [DEFINED]: true;
  readonly definition: ModelData & { readonly resources: Readonly<Record<string, DefinedResource>> };
  readonly services: HookServices;
}

/** Whether a value is the result of `defineModel`, also of another copy of the package. */
export function isDefinedModel(value: unknown): value is DefinedModel {
  return typeof value === 'object' && value !== null && DEFINED in value;
}

/** The functions that define models. */
export interface ModelBuilder<S> {
  /** Defines a resource. The types of its hooks follow from its schema. */
  readonly resource: <const T extends SchemaLike, C extends ComputedReads<ValuesOf<T>>>(
    definition: ResourceDefinition<T, S, C>,
  ) => DefinedResource;
  readonly defineModel: (definition: ModelDefinition<S>) => DefinedModel;
}

/**
 * Returns `resource` and `defineModel` for hooks that use services of the application:
 * `const { resource, defineModel } = withServices<{ vies: (id: string) => Promise<boolean> }>()`.
 */
export function withServices<S extends object>(): ModelBuilder<S> {
  return {
    resource: ({ schema, ...rest }) => ({ ...rest, schema }),
    defineModel: (definition) => ({ [DEFINED]: true, definition, services: servicesOf(definition) }),
  };
}

function servicesOf(definition: object): HookServices {
  const services: unknown = Reflect.get(definition, 'services');
  return typeof services === 'object' && services !== null ? { ...services } : {};
}

const plain = withServices<object>();

/** Defines a resource whose hooks use no services. */
export function resource<const T extends SchemaLike, C extends ComputedReads<ValuesOf<T>>>(
  definition: ResourceDefinition<T, object, C>,
): DefinedResource {
  return plain.resource(definition);
}

/** Defines a model whose hooks use no services. */
export function defineModel(definition: ModelDefinition<object>): DefinedModel {
  return plain.defineModel(definition);
}
