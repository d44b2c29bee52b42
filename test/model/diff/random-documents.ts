import type { Random } from '../../../scripts/campaign/random.ts';
import { serializeModel, randomModel } from '../../pipeline/proof/random-models.ts';

/** A declared schema. */
interface Declared {
  type?: unknown;
  required?: readonly string[];
  properties?: Record<string, Declared>;
  items?: Declared;
  [keyword: string]: unknown;
}

interface DeclaredResource {
  schema: Declared & { properties: Record<string, Declared> };
  access?: Record<string, unknown>;
  state?: { transitions: Record<string, readonly string[]> };
  [setting: string]: unknown;
}

/** A model document, which mutations change. */
export interface MutableDocument {
  limits?: Record<string, unknown>;
  resources: Record<string, DeclaredResource>;
  [section: string]: unknown;
}

/** A change of a document that clients can see. */
export interface Mutation {
  readonly name: string;
  /** Changes the document in place. @returns whether it applies to the document */
  readonly apply: (document: MutableDocument, resource: string, random: Random) => boolean;
}

/** A document of up to five resources with fields of many types, access, policies, references and states. */
export function randomDocument(random: Random): MutableDocument {
  const document: MutableDocument = JSON.parse(serializeModel(randomModel(random)));
  for (const resource of Object.values(document.resources)) {
    const bound = random.integer(10, 100);
    Object.assign(resource.schema.properties, {
      price: { type: 'number', minimum: 1, ...(random.chance(0.5) ? { maximum: bound } : {}) },
      amount: { type: 'string', format: 'decimal', 'x-precision': random.integer(8, 12), 'x-scale': 2 },
      tags: { type: 'array', items: { type: 'string', maxLength: bound }, maxItems: bound },
      address: {
        type: 'object',
        properties: { city: { type: 'string' }, zip: { type: 'string', pattern: '^[0-9]+$' } },
      },
      marks: { type: 'object', additionalProperties: { type: 'string' }, maxProperties: bound },
      due: { type: 'string', format: random.pick(['date', 'date-time', 'email']) },
      ...(random.chance(0.5) ? { secret_note: { type: 'string', writeOnly: true } } : {}),
    });
    if (random.chance(0.3)) resource['require_if_match'] = true;
    if (random.chance(0.3)) resource['events'] = random.pick(['full', 'none']);
  }
  document.limits = { rate: false, depth: random.integer(8, 64), page: { max: random.integer(50, 200) } };
  return document;
}

/** Changes a keyword of one field of a resource. */
function keyword(name: string, field: string, change: (schema: Declared, random: Random) => void): Mutation {
  return {
    name,
    apply: ({ resources }, resource, random) => {
      const schema = resources[resource]?.schema.properties[field];
      if (schema === undefined) return false;
      change(schema, random);
      return true;
    },
  };
}

/** Changes one resource. */
function settings(name: string, change: (declared: DeclaredResource, random: Random) => unknown): Mutation {
  return {
    name,
    apply: ({ resources }, of, random) => {
      const declared = resources[of];
      return declared !== undefined && change(declared, random) !== false;
    },
  };
}

function toggled(declared: Record<string, unknown>, member: string): void {
  if (declared[member] === true) delete declared[member];
  else declared[member] = true;
}

const INNER: readonly Mutation[] = [
  keyword('maximum', 'price', (schema, random) => (schema['maximum'] = random.integer(200, 300))),
  keyword('no minimum', 'price', (schema) => delete schema['minimum']),
  keyword('integer', 'price', (schema) => (schema['type'] = 'integer')),
  keyword('precision', 'amount', (schema) => (schema['x-precision'] = 20)),
  keyword('scale', 'amount', (schema) => (schema['x-scale'] = 3)),
  keyword('maxItems', 'tags', (schema) => (schema['maxItems'] = 5)),
  keyword('length of items', 'tags', (schema) => (schema.items = { type: 'string', maxLength: 7 })),
  keyword('type of items', 'tags', (schema) => (schema.items = { type: 'integer' })),
  keyword('uniqueItems', 'tags', (schema) => toggled(schema, 'uniqueItems')),
  keyword(
    'a member',
    'address',
    (schema) => (schema.properties = { ...schema.properties, street: { type: 'string' } }),
  ),
  keyword('a required member', 'address', (schema) => (schema.required = ['city'])),
  keyword('no member', 'address', (schema) => delete schema.properties?.['city']),
  keyword(
    'a pattern',
    'address',
    (schema) => (schema.properties = { ...schema.properties, zip: { type: 'string', pattern: '^[A-Z]+$' } }),
  ),
  keyword('maxProperties', 'marks', (schema) => (schema['maxProperties'] = 200)),
  keyword('the values of a map', 'marks', (schema) => (schema['additionalProperties'] = { type: 'integer' })),
  keyword('format', 'due', (schema) => (schema['format'] = 'uri')),
  keyword('no format', 'due', (schema) => delete schema['format']),
  keyword('an enum value', 'kind', (schema) => (schema['enum'] = ['A', 'B', 'C', 'D'])),
  keyword('no enum', 'kind', (schema) => delete schema['enum']),
  keyword('a default', 'n', (schema) => (schema['default'] = 7)),
  keyword('a description', 'n', (schema) => (schema['description'] = 'A number')),
  keyword('immutable', 'n', (schema) => toggled(schema, 'x-immutable')),
  keyword('unique', 'flag', (schema) => toggled(schema, 'x-unique')),
  keyword('read-only', 'flag', (schema) => toggled(schema, 'readOnly')),
  keyword('write-only', 'flag', (schema) => toggled(schema, 'writeOnly')),
  keyword('in responses', 'secret_note', (schema) => delete schema['writeOnly']),
  settings('a field', ({ schema }) => (schema.properties['extra'] = { type: 'string' })),
  settings('a required field', ({ schema }) => {
    schema.properties['vital'] = { type: 'string' };
    schema.required = [...(schema.required ?? []), 'vital'];
  }),
  settings('no field', ({ schema }) => delete schema.properties['marks']),
  settings('required', ({ schema }) => (schema.required = [...(schema.required ?? []), 'price'])),
  settings('an order', ({ schema }) => {
    const { price, ...others } = schema.properties;
    if (price === undefined) return false;
    schema.properties = { price, ...others };
    return true;
  }),
  settings('a singular', (declared) => (declared['singular'] = 'thing')),
  settings('error codes', (declared) => (declared['error_prefix'] = 'THING')),
  settings('ids', (declared) => (declared['id'] = declared['id'] === 'client' ? 'uuid' : 'client')),
  settings('a sort', (declared) => (declared['sort'] = '-created_at')),
  settings('sortable', (declared) => (declared['sortable'] = ['created_at'])),
  settings('filterable', (declared) => (declared['filterable'] = ['created_at'])),
  settings('search', (declared) => (declared['search'] = ['name'])),
  settings('a time field', (declared) => (declared['time_field'] = 'updated_at')),
  settings('If-Match', (declared) => toggled(declared, 'require_if_match')),
  settings('a key', (declared) => (declared['idempotency'] = 'required')),
  settings('events', (declared) => (declared['events'] = declared['events'] === 'full' ? 'thin' : 'full')),
  settings('a cache', (declared) => (declared['cache'] = { max_age: 9 })),
  settings('unique lists', (declared) => (declared['unique'] = [['n', 'tenant']])),
  settings('a rule', (declared) => (declared.access = { ...declared.access, delete: { scope: 'admin' } })),
  settings(
    'a rule on a field',
    (declared) => (declared.access = { ...declared.access, fields: { n: { write: { scope: 'n' } } } }),
  ),
  settings('a policy', (declared) => (declared.access = { ...declared.access, rows: { read: { n: 77 } } })),
  settings('a transition', ({ state }) => {
    if (state === undefined) return false;
    state.transitions = { ...state.transitions, DONE: ['DRAFT'] };
    return true;
  }),
  settings('no transition', ({ state }) => {
    if (state === undefined) return false;
    state.transitions = { DRAFT: ['LIVE'] };
    return true;
  }),
];

const PARTS: readonly (readonly [name: string, part: object])[] = [
  ['name', { name: 'other' }],
  ['title', { title: 'Other' }],
  ['base path', { base_path: '/other' }],
  ['public URL', { public_url: 'https://other.example' }],
  ['version', { version: '2.0.0' }],
  ['TLS', { require_tls: true }],
  ['CORS', { cors: { origins: ['https://other.example'] } }],
  ['limits', { limits: { rate: false, body: '2MiB' } }],
  ['rate', { limits: { rate: { requests: 7 } } }],
];

const OUTER = PARTS.map(
  ([name, part]): Mutation => ({
    name,
    apply: (document) => {
      Object.assign(document, part);
      return true;
    },
  }),
);

const STRUCTURE: readonly Mutation[] = [
  {
    name: 'a resource',
    apply: ({ resources }) => {
      resources['extras'] = { schema: { type: 'object', properties: { name: { type: 'string' } } } };
      return true;
    },
  },
  {
    name: 'a child',
    apply: ({ resources }, parent) => {
      resources['extras'] = { parent, schema: { type: 'object', properties: { name: { type: 'string' } } } };
      return true;
    },
  },
  {
    name: 'no resource',
    apply: ({ resources }, name) => delete resources[name],
  },
  {
    name: 'a relation',
    apply: ({ resources }, name) => {
      const reference = Object.values(resources[name]?.schema.properties ?? {}).find((each) => 'x-references' in each);
      if (reference === undefined) return false;
      reference['x-references'] = { ...Object(reference['x-references']), as: 'other', inverse: 'others' };
      return true;
    },
  },
  {
    name: 'what a delete does',
    apply: ({ resources }, name) => {
      const reference = Object.values(resources[name]?.schema.properties ?? {}).find((each) => 'x-references' in each);
      const declared = Object(reference?.['x-references']);
      if (reference === undefined) return false;
      reference['x-references'] = { ...declared, on_delete: declared.on_delete === 'nullify' ? 'restrict' : 'nullify' };
      return true;
    },
  },
];

/** Changes inside one resource, which do not affect others. */
export const INNER_MUTATIONS = INNER;

/** All changes. */
export const MUTATIONS: readonly Mutation[] = [...INNER, ...OUTER, ...STRUCTURE];
