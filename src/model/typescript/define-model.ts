import type { EventEnvelope } from '../../conventions/event.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import type { HookServices, WriteInfo } from './hooks.ts';
import type { SchemaLike, DeepReadonly, ValuesOf } from './schema-types.ts';

/** What every row has beside its fields. */
export interface SystemFields {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly revision: number;
}

/** A member that is worked out from others whenever the resource is shown: pure, synchronous, read-only, in no filter or sort. */
export interface ComputedDefinition<R, F extends keyof R> {
  readonly schema: object;
  /** The fields that it reads: what its tag depends on. */
  readonly from: readonly F[];
  /** Gets those fields and the id, nothing else. */
  readonly value: (row: DeepReadonly<Pick<R, F>> & Pick<SystemFields, 'id'>) => unknown;
}

/** The fields that each computed member of a resource reads. */
type ComputedReads<R> = Readonly<Record<string, keyof R>>;

/** The code of a resource. `R` are its values, `S` the services of the application, `C` what its computed members read. */
export interface ResourceCode<R, S, C extends ComputedReads<R> = ComputedReads<R>> {
  readonly computed?: { readonly [K in keyof C]: ComputedDefinition<R, C[K]> };
  /** Around a write, before it is sent: may change the draft, or refuse it with `refuse`. */
  readonly before?: {
    readonly create?: (draft: R, context: S & WriteInfo) => MaybePromise<R | undefined | void>;
    readonly update?: (
      draft: R,
      context: S & WriteInfo,
      current: DeepReadonly<R & SystemFields>,
    ) => MaybePromise<R | undefined | void>;
    readonly delete?: (row: DeepReadonly<R & SystemFields>, context: S & WriteInfo) => MaybePromise<void>;
  };
  /** By field: what is wrong with a value that a write sets, in words that follow the field's name; null where nothing is. */
  readonly check?: {
    readonly [K in keyof R]?: (value: NonNullable<R[K]>, context: S & WriteInfo) => MaybePromise<string | null>;
  };
  /** Fed from the log of events: at least once each, and never in the way of an answer. */
  readonly after?: {
    readonly created?: (event: EventEnvelope, context: S) => MaybePromise<void>;
    readonly updated?: (event: EventEnvelope, context: S) => MaybePromise<void>;
    readonly deleted?: (event: EventEnvelope, context: S) => MaybePromise<void>;
  };
  /** Refused until access is served: a function that gets the caller and returns a filter. */
  readonly policy?: (caller: unknown) => unknown;
}

/** What a resource says in data, as the model document has it. */
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

/** A resource in TypeScript. */
export type ResourceDefinition<T extends SchemaLike, S, C extends ComputedReads<ValuesOf<T>>> = ResourceData & {
  readonly schema: T;
} & ResourceCode<ValuesOf<T>, S, C>;

/** A resource as a model takes it: its types have done their work. */
export type DefinedResource = ResourceData & { readonly schema: SchemaLike } & {
  readonly [code in keyof ResourceCode<unknown, unknown>]?: unknown;
};

/** What a model says beside its resources, as the model document has it. */
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

/** A model in TypeScript; `services` are what its hooks get of the application. */
export type ModelDefinition<S> = ModelData & {
  readonly resources: Readonly<Record<string, DefinedResource>>;
} & (keyof S extends never ? { readonly services?: S } : { readonly services: S });

const DEFINED = Symbol.for('restwright.model');

/** What `defineModel` returns: a module whose default export it is can be served. */
export interface DefinedModel {
  readonly [DEFINED]: true;
  /** Its `services` are told apart below. */
  readonly definition: ModelData & { readonly resources: Readonly<Record<string, DefinedResource>> };
  readonly services: HookServices;
}

/** Whether a value is what `defineModel` returns, of whichever copy of the package. */
export function isDefinedModel(value: unknown): value is DefinedModel {
  return typeof value === 'object' && value !== null && DEFINED in value;
}

/** The two functions that models are written with. */
export interface ModelBuilder<S> {
  /** A resource: its hooks get values of the types that its schema admits. */
  readonly resource: <const T extends SchemaLike, C extends ComputedReads<ValuesOf<T>>>(
    definition: ResourceDefinition<T, S, C>,
  ) => DefinedResource;
  readonly defineModel: (definition: ModelDefinition<S>) => DefinedModel;
}

/**
 * `resource` and `defineModel` for an application whose hooks use services:
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

/** A resource whose hooks need no services. */
export function resource<const T extends SchemaLike, C extends ComputedReads<ValuesOf<T>>>(
  definition: ResourceDefinition<T, object, C>,
): DefinedResource {
  return plain.resource(definition);
}

/** A model whose hooks need no services. */
export function defineModel(definition: ModelDefinition<object>): DefinedModel {
  return plain.defineModel(definition);
}

export type { SchemaLike, SchemaObject, StandardSchema, ValuesOf } from './schema-types.ts';
