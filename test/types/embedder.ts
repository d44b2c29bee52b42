// A program of a user: a model with hooks, an observer and an app around the API. Every declaration has an explicit
// type, as `isolatedDeclarations` demands, and every type comes from an entry of the package.
import { type ApiOptions, type Clock, createApi, type EventEnvelope } from '../../src/exports/api.ts';
import type {
  DeepReadonly,
  DefinedResource,
  Limits,
  ModelBuilder,
  ModelSource,
  ResourceCode,
  SystemFields,
  ValuesOf,
  WriteInfo,
} from '../../src/exports/model.ts';
import type { SqliteOptions, Store } from '../../src/exports/stores.ts';
import {
  type Api,
  createListener,
  type DefinedModel,
  type HttpServer,
  type Listener,
  type LoadedModel,
  loadModel,
  type Model,
  type Observation,
  type Observe,
  startApi,
  type StartApiOptions,
  type StartedApi,
  openSqlite,
  refuse,
  serveHttp,
  type ServeHttpOptions,
  withServices,
} from '../../src/index.ts';

export interface Services {
  readonly isRegistered: (vatId: string) => Promise<boolean>;
  readonly notify: (orderId: string) => Promise<void>;
}

interface SupplierSchema {
  readonly type: 'object';
  readonly required: readonly ['name'];
  readonly properties: {
    readonly name: { readonly type: 'string' };
    readonly vat_id: { readonly type: 'string' };
  };
}

const supplierSchema: SupplierSchema = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, vat_id: { type: 'string' } },
};

export type Supplier = ValuesOf<SupplierSchema>;
export type HookContext = Services & WriteInfo;

const builder: ModelBuilder<Services> = withServices<Services>();

export function trimName(draft: Supplier): Supplier {
  return { ...draft, name: draft.name.trim() };
}

export function keepVatId(draft: Supplier, _context: HookContext, row: DeepReadonly<Supplier & SystemFields>): void {
  if (row.vat_id !== draft.vat_id) refuse('CONFLICT', 'vat_id cannot change. Create another supplier.');
}

export async function checkVatId(value: string, { isRegistered }: HookContext): Promise<string | null> {
  return (await isRegistered(value)) ? null : 'is not a registered VAT number';
}

export async function supplierCreated(event: EventEnvelope, { notify }: Services): Promise<void> {
  await notify(event.payload.resource.id);
}

export const hooks: ResourceCode<Supplier, Services> = {
  before: { create: trimName, update: keepVatId },
  check: { vat_id: checkVatId },
  after: { created: supplierCreated },
};

export const suppliers: DefinedResource = builder.resource({
  schema: supplierSchema,
  before: { create: trimName, update: keepVatId },
  check: { vat_id: checkVatId },
  after: { created: supplierCreated },
});

export function shop(services: Services): DefinedModel {
  return builder.defineModel({ name: 'shop', resources: { suppliers }, services });
}

export function countServerErrors(): { readonly observe: Observe; readonly count: () => number } {
  let count = 0;
  const observe = (observation: Observation): void => {
    if (observation.kind === 'request' && observation.status >= 500) count += 1;
  };
  return { observe, count: () => count };
}

export async function open(services: Services, options: Partial<StartApiOptions> = {}): Promise<StartedApi> {
  return startApi({ model: shop(services), database: ':memory:', ...options });
}

export interface Composed {
  readonly api: Api;
  readonly store: Store;
  readonly limits: Limits;
}

export async function compose(source: ModelSource | DefinedModel, clock: Clock): Promise<Composed> {
  const loaded: LoadedModel = loadModel(source);
  const model: Model = loaded.model;
  const database: SqliteOptions = { path: ':memory:', model, clock };
  const store: Store = await openSqlite(database);
  const options: ApiOptions = { model, store, clock, services: loaded.services };
  return { api: await createApi(options), store, limits: model.limits };
}

export async function serve(api: Api, options: Omit<ServeHttpOptions, 'api'>): Promise<HttpServer> {
  return serveHttp({ api, ...options });
}

export function mount(api: Api): Listener {
  return createListener(api);
}
