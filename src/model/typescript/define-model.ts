import type { EventEnvelope } from '../../conventions/events/event.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import type { HookServices, WriteInfo } from '../hooks.ts';
import type {
  FieldName,
  FilterPath,
  ReferencedBy,
  ScalarPath,
  SortOf,
  StateOf,
  TextPath,
  TimePath,
} from './name-types.ts';
import type { DeepReadonly, SchemaLike, Transformed, ValuesOf } from './schema-types.ts';
import type { ParentData, ResourceData } from './resource-data.ts';
import type { ReadValues, TimesOf, WithTimes } from './table-types.ts';
import type { ModelFacts, VersionsData } from './version-types.ts';

/** The members of every row that the server sets. */
export interface SystemFields {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly revision: number;
}

/** A read-only member that a pure, synchronous function computes for each representation. No filter or sort uses it. */
export interface ComputedDefinition<R, F extends keyof R> {
  readonly schema: object;
  /** The fields that it is computed from. */
  readonly from: readonly F[];
  /** Gets only these fields and the id. */
  readonly value: (row: DeepReadonly<Pick<R, F>> & Pick<SystemFields, 'id'>) => unknown;
}

/** The fields that each computed member of a resource is computed from. */
type ComputedReads<R> = Readonly<Record<string, keyof R>>;

/** The generator of a value, as in a model document. */
type GeneratedData = 'uuid' | 'now' | { readonly secret: string; readonly hint?: string };

/** A row as hooks get it. */
type StoredRow<R, B> = DeepReadonly<ReadValues<R, B> & WithTimes<SystemFields, B, string | null>>;

/**
 * The functions of a resource. `R`: its values, `S`: the application's services, `C`: computed members to fields, `B`:
 * the times of a table that exists, else null.
 */
export interface ResourceCode<R, S, C extends ComputedReads<R> = ComputedReads<R>, B = null> {
  readonly computed?: { readonly [K in keyof C]: ComputedDefinition<ReadValues<R, B>, C[K] & keyof ReadValues<R, B>> };
  /**
   * Values that the server makes when it creates a row, as data or by a function that runs after the other hooks.
   * Clients cannot write them. A function must return a value that matches the schema of its field.
   */
  readonly generated?: { readonly [K in keyof R]?: GeneratedData | ((context: S & WriteInfo) => MaybePromise<R[K]>) };
  /** Runs before a write. Can change the draft, or refuse the write with `refuse`. */
  readonly before?: {
    readonly create?: (draft: R, context: S & WriteInfo) => MaybePromise<R | undefined | void>;
    readonly update?: (
      draft: ReadValues<R, B>,
      context: S & WriteInfo,
      current: StoredRow<R, B>,
    ) => MaybePromise<ReadValues<R, B> | undefined | void>;
    readonly delete?: (row: StoredRow<R, B>, context: S & WriteInfo) => MaybePromise<void>;
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
}

/**
 * The data of a resource that names its fields: `R` is the type of its values, `P` its parent, `O` its sort. `& string`
 * makes the compiler list the names in its messages instead of the type that they follow from.
 */
interface NamingData<R, P extends string, O extends string> {
  readonly parent?: P | ParentData<P>;
  readonly unique?: readonly (readonly (FieldName<R, P> & string)[])[];
  readonly state?: StateOf<R>;
  readonly indexes?: readonly ((ScalarPath<R, P> & string) | readonly (ScalarPath<R, P> & string)[])[];
  readonly search?: readonly (TextPath<R> & string)[];
  readonly sort?: O extends SortOf<O, ScalarPath<R, P> & string> ? O : SortOf<O, ScalarPath<R, P> & string>;
  readonly time_field?: TimePath<R> & string;
  readonly sortable?: readonly (ScalarPath<R, P> & string)[];
  readonly filterable?: readonly (FilterPath<R, P> & string)[];
}

/** A resource of a TypeScript model. */
export type ResourceDefinition<
  T extends SchemaLike,
  S,
  C extends ComputedReads<ValuesOf<T>>,
  P extends string = string,
  O extends string = string,
  B = null,
> = Omit<ResourceData, keyof NamingData<unknown, string, string>> &
  NamingData<ValuesOf<T>, P, O> & { readonly schema: T & Transformed<T> } & ResourceCode<ValuesOf<T>, S, C, B>;

/**
 * The parts of a resource from which client types follow. `E` is the prefix of error codes, and `V` the name of the
 * relation from its parent; `never` if derived.
 */
export interface ResourceShape<T, P, I, M, E, V = never, W = false, B = null> {
  readonly schema: T;
  readonly parent: P;
  readonly id: I;
  readonly computed: M;
  readonly error_prefix: E;
  readonly inverse: V;
  /** `true` if clients only read it. */
  readonly read_only: W;
  /** The times of a table that exists; null for rows that the server stores. */
  readonly times: B;
}

declare const REFERENCES: unique symbol;
declare const SHAPE: unique symbol;

/** A resource without the types of its hooks. `N`: the resources that it needs, `D`: the source of client types. */
export type DefinedResource<N extends string = string, D = unknown> = ResourceData & { readonly schema: SchemaLike } & {
  readonly [code in keyof ResourceCode<unknown, unknown>]?: unknown;
} & { readonly [REFERENCES]?: N | undefined; readonly [SHAPE]?: D | undefined };

/** The parts of a resource from which the types of clients follow. */
export type ShapeOf<R> = R extends { readonly [SHAPE]?: infer D | undefined } ? D : unknown;

/** Resources by name. */
export type Resources = Readonly<Record<string, DefinedResource>>;

/** The same resources, where each may need only those. */
type ConnectedResources<R> = {
  readonly [K in keyof R]: R[K] extends DefinedResource<infer N>
    ? string extends N
      ? DefinedResource
      : DefinedResource<keyof R & string>
    : never;
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
export type ModelDefinition<S, R extends Resources = Resources> = ModelData & {
  readonly resources: R & ConnectedResources<R>;
  readonly versions?: VersionsData<keyof R & string>;
} & (keyof S extends never ? { readonly services?: S } : { readonly services: S });

const DEFINED = Symbol.for('restwright.model');

declare const TYPES: unique symbol;

/**
 * The result of `defineModel`. A module can be served if this is its default export. @typeParam F what the types of
 * clients follow from, besides resources
 *
 * @example
 * ```ts
 * const notes: DefinedModel = defineModel({ name: 'notes', version: '1.0.0', resources: { notes: { schema } } });
 * export default notes;
 * ```
 */
export interface DefinedModel<R extends Resources = Resources, F extends ModelFacts = ModelFacts> {
  readonly [DEFINED]: true;
  readonly [TYPES]?: readonly [R, F] | undefined;
  readonly definition: ModelData & { readonly resources: R };
  readonly services: HookServices;
}

/** The resources of a model, and what else the types of clients follow from; `never` for another type. */
export type TypesOf<M> = M extends { readonly [TYPES]?: infer T } ? NonNullable<T> : never;

/** True for a result of `defineModel`, also of another copy of the package. */
export function isDefinedModel(value: unknown): value is DefinedModel {
  return typeof value === 'object' && value !== null && DEFINED in value;
}

/** Defines a resource. The types of its hooks, and the names that its data may contain, follow from its schema. */
type DefineResource<S> = <
  const T extends SchemaLike,
  C extends ComputedReads<ValuesOf<T>>,
  const P extends string = never,
  const O extends string = string,
  const I extends ResourceData['id'] = 'uuid',
  const M extends object = object,
  const N extends string = never,
  const E extends string = Uppercase<N>,
  const V extends string = never,
  const W extends boolean = false,
  const A extends string = never,
  const F extends string = never,
  const L extends string = never,
>(
  definition: ResourceDefinition<T, S, C, P, O, TimesOf<A, F, L>> & {
    readonly id?: I;
    readonly computed?: M;
    readonly singular?: N;
    readonly error_prefix?: E;
    readonly parent?: string | ParentData<string, V>;
    readonly read_only?: W;
    readonly table?: A;
    readonly created_at?: F;
    readonly updated_at?: L;
  },
) => DefinedResource<ReferencedBy<T> | NoInfer<P>, ResourceShape<T, P, I, M, E, V, W, TimesOf<A, F, L>>>;

/** Defines a model. Its resources may name each other only. */
type DefineModel<S> = <
  const R extends Resources,
  const V extends object = object,
  const N extends string = string,
  const D extends number = number,
>(
  definition: ModelDefinition<S, R> & {
    readonly versions?: V;
    readonly version?: N;
    readonly default_version?: D;
  },
) => DefinedModel<R, { readonly versions: V; readonly version: N; readonly default_version: D }>;

/** The functions that define models. */
export interface ModelBuilder<S> {
  readonly resource: DefineResource<S>;
  readonly defineModel: DefineModel<S>;
}

/**
 * Returns `resource` and `defineModel` for hooks that use services of the application.
 * @example const { resource, defineModel } = withServices<{ vies: (id: string) => Promise<boolean> }>();
 */
export function withServices<S extends object>(): ModelBuilder<S> {
  return {
    resource: ({ schema, ...rest }) => ({ ...rest, schema }),
    defineModel: (definition) => ({ [DEFINED]: true, definition, services: readServices(definition) }),
  };
}

function readServices(definition: object): HookServices {
  const services: unknown = Reflect.get(definition, 'services');
  return typeof services === 'object' && services !== null ? { ...services } : {};
}

const plain: ModelBuilder<object> = withServices<object>();

/**
 * Defines a resource whose hooks use no services.
 * @example const notes = resource({ schema: { type: 'object', properties: { text: { type: 'string' } } } });
 */
export const resource: ModelBuilder<object>['resource'] = plain.resource;

/**
 * Defines a model whose hooks use no services.
 * @example export default defineModel({ name: 'desk', resources: { notes } });
 */
export const defineModel: ModelBuilder<object>['defineModel'] = plain.defineModel;
