import { OPEN_ACCESS } from '../src/model/compile/access/access.ts';
import { NO_RULED_ACCESS } from '../src/model/compile/access/ruled-access.ts';
import { parentKey, countScopeIds } from '../src/model/row-key.ts';
import { NO_HOOKS } from '../src/model/hooks.ts';
import type { Json } from '../src/conventions/json/json.ts';
import type {
  Dependent,
  Field,
  IdRule,
  CollectionLink,
  Model,
  Property,
  Reference,
  Resource,
  SortKey,
  ValueType,
} from '../src/model/model.ts';

/** Options of a sample field. Default: optional, writable, not a reference. */
type FieldOptions = Partial<Omit<Field, 'name' | 'type'>>;

const TEXT: ValueType = { kind: 'text', format: null };

/** A reference to a resource, `on_delete: restrict`. */
export function refersTo(target: string): Reference {
  return { resource: target, as: null, inverse: null, onDelete: 'restrict' };
}

/** A field of a sample resource. Fields that are not required are nullable, except arrays (REP-4). */
export function field(name: string, type: ValueType, options: FieldOptions = {}): Field {
  const required = options.required === true;
  return {
    name,
    type,
    required,
    nullable: !required && type.kind !== 'array',
    readOnly: false,
    writeOnly: false,
    immutable: false,
    was: null,
    reference: null,
    generator: null,
    shownOnce: false,
    fill: null,
    ...options,
  };
}

/** Options of a sample resource. */
export interface ResourceOptions {
  readonly name: string;
  readonly fields: readonly Field[];
  readonly was?: string | null;
  readonly id?: IdRule;
  readonly parent?: string;
  readonly uniques?: readonly (readonly string[])[];
  readonly indexes?: readonly (readonly string[])[];
  readonly search?: readonly string[];
  readonly sort?: readonly SortKey[];
  readonly tombstones?: number;
}

const DEFAULT_SORT: readonly SortKey[] = [
  { path: 'created_at', descending: false },
  { path: 'id', descending: false },
];

const SYSTEM: readonly (readonly [string, ValueType])[] = [
  ['id', TEXT],
  ['created_at', { kind: 'date-time' }],
  ['updated_at', { kind: 'date-time' }],
  ['revision', { kind: 'integer' }],
];

/** The scalar properties of a resource: system fields, fields and object members. */
function listProperties(fields: readonly Field[]): ReadonlyMap<string, Property> {
  const system = SYSTEM.map(([path, type]) => ({ path, type, nullable: false }));
  const declared = fields.flatMap(({ name, type, nullable }) =>
    type.kind === 'object'
      ? type.members.map((member) => ({ path: `${name}.${member.name}`, type: member.type, nullable: true }))
      : [{ path: name, type, nullable }],
  );
  const further = { sortable: true, filterable: true, allowed: null, holdsComma: true };
  return new Map([...system, ...declared].map((shape) => [shape.path, { ...shape, ...further }]));
}

function formSingular(name: string): string {
  return name.replace(/s$/, '');
}

/** A resource with the defaults of model documents. The field with the parent's id comes first. */
export function resource(options: ResourceOptions): Resource {
  const { name, parent } = options;
  const parentField = parent === undefined ? null : `${formSingular(parent)}_id`;
  const fields =
    parentField === null
      ? options.fields
      : [field(parentField, TEXT, { required: true, readOnly: true }), ...options.fields];
  return {
    name,
    collection: name.replaceAll('_', '-'),
    singular: formSingular(name),
    code: formSingular(name).toUpperCase(),
    was: options.was ?? null,
    id: options.id ?? { kind: 'client', pattern: null, optional: false, number: false },
    fields,
    field: new Map(fields.map((each) => [each.name, each])),
    computed: [],
    hooks: NO_HOOKS,
    properties: listProperties(fields),
    parent: parent === undefined || parentField === null ? null : { resource: parent, field: parentField },
    parentKey: parentField === null ? [] : parentKey(parentField, 0),
    dependents: [] satisfies Dependent[],
    links: [] satisfies CollectionLink[],
    uniques: options.uniques ?? [],
    indexes: options.indexes ?? [],
    search: options.search ?? [],
    declares: { sortable: false, filterable: false, singular: false, publicCache: false },
    state: null,
    sort: options.sort ?? DEFAULT_SORT,
    timeField: 'created_at',
    events: 'thin',
    access: OPEN_ACCESS,
    ...NO_RULED_ACCESS,
    sameForEveryCaller: true,
    compact: false,
    isBelowCompact: false,
    requireIfMatch: false,
    readOnly: false,
    idempotency: 'optional',
    tombstones: options.tombstones ?? null,
    table: null,
    cache: null,
    schema: {},
  };
}

/** The resources with the keys of their parents, parents first. */
function withParentKeys(resources: readonly Resource[]): ReadonlyMap<string, Resource> {
  const known = new Map<string, Resource>();
  for (const each of resources) {
    const above = known.get(each.parent?.resource ?? '');
    const key =
      each.parent === null ? [] : parentKey(each.parent.field, above === undefined ? 0 : countScopeIds(above));
    known.set(each.name, { ...each, parentKey: key });
  }
  return known;
}

/** A model with the default limits of model documents. Parents come before their children. */
export function model(declared: readonly Resource[], limits: Partial<Model['limits']> = {}): Model {
  const resources = withParentKeys(declared);
  return {
    name: 'sample',
    title: 'Sample',
    version: { major: 1, minor: 0, patch: 0 },
    basePath: '/api',
    publicUrl: null,
    defaultVersion: 1,
    cors: null,
    auth: null,
    trustedProxies: [],
    requireTls: false,
    descriptions: 'public',
    console: null,
    secret: null,
    events: { retention: 30 * 86_400_000, maxRows: null, hold: 30 * 86_400_000, relays: [] },
    webhooks: null,
    relays: null,
    system: { batches: 'batches', events: 'events' },
    limits: {
      page: { default: 20, max: 100, maxOffset: 1_000_000, countCap: 10_000, bytes: 16_777_216 },
      body: 1_048_576,
      bodyMemory: 67_108_864,
      row: 2_097_152,
      target: 8_192,
      headers: 16_384,
      headerLines: 100,
      depth: 32,
      items: 10_000,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      handlerTimeout: 30_000,
      statementTimeout: 5_000,
      shutdownTimeout: 25_000,
      eventLoopDelay: 250,
      queueDepth: 1_000,
      responseMemory: 268_435_456,
      feeds: { perCaller: 4, total: 1_000 },
      rate: null,
      ...limits,
    },
    resources,
    collections: new Map([...resources.values()].map((each) => [each.collection, each])),
    versions: [],
    fingerprint: 'sample',
  };
}

const member = (name: string, type: ValueType) => ({ name, type, nullable: true, required: false });

/** Fields of every type, with a reference and an array of references. */
const PRODUCT_FIELDS: readonly Field[] = [
  field('name', TEXT, { required: true }),
  field('category', TEXT),
  field('stock', { kind: 'integer' }),
  field('rating', { kind: 'number' }),
  field('active', { kind: 'boolean' }),
  field('released', { kind: 'date-time' }),
  field('price', { kind: 'decimal', precision: 12, scale: 2 }),
  field('weight', { kind: 'decimal', precision: null, scale: null }),
  field('volume', { kind: 'decimal', precision: 30, scale: 3 }),
  field('serial', { kind: 'int64' }),
  field('photo', { kind: 'binary', mediaType: null }),
  field('address', {
    kind: 'object',
    members: [
      member('city', TEXT),
      member('floor', { kind: 'integer' }),
      member('fee', { kind: 'decimal', precision: null, scale: null }),
      member('since', { kind: 'date-time' }),
      member('number', { kind: 'int64' }),
    ],
  }),
  field('labels', { kind: 'map', value: { type: TEXT, nullable: true } }),
  field('tags', { kind: 'array', item: { type: TEXT, nullable: false } }),
  field('supplier_id', TEXT, { reference: { ...refersTo('suppliers'), as: 'supplier' } }),
  field('related_ids', { kind: 'array', item: { type: TEXT, nullable: false } }, { reference: refersTo('products') }),
];

const SERVER_IDS: IdRule = { kind: 'server' };

/** Suppliers; products that refer to suppliers; reviews nested below products; answers nested below reviews. */
export function sampleModel(limits: Partial<Model['limits']> = {}): Model {
  return model(
    [
      resource({ name: 'suppliers', fields: [field('name', TEXT, { required: true })], uniques: [['name']] }),
      resource({
        name: 'products',
        fields: PRODUCT_FIELDS,
        uniques: [['serial'], ['supplier_id', 'name']],
        indexes: [['category'], ['category', 'price'], ['address.city']],
      }),
      resource({
        name: 'reviews',
        id: SERVER_IDS,
        parent: 'products',
        fields: [field('stars', { kind: 'integer' }, { required: true })],
      }),
      resource({ name: 'answers', id: SERVER_IDS, parent: 'reviews', fields: [field('text', TEXT)] }),
    ],
    limits,
  );
}

/** Values of a product: null or empty except the name and the given values. */
export function productValues(values: Readonly<Record<string, Json>> = {}): Readonly<Record<string, Json>> {
  const unset = PRODUCT_FIELDS.map(({ name, type }): [string, Json] => [name, type.kind === 'array' ? [] : null]);
  return { ...Object.fromEntries(unset), name: 'A product', ...values };
}
