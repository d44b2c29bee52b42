/** Words as the name of a type: `order_item` gives `OrderItem`. @param name in snake_case */
export function toTypeName(name: string): string {
  return name
    .split('_')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
}

/** The suffixes of the names of a resource's schemas in descriptions: `Product`, `ProductCreate`. */
export const SCHEMA_SUFFIXES = [
  '',
  'Representation',
  'Selection',
  'Created',
  'Create',
  'Replace',
  'Patch',
  'FormBody',
  'Links',
  'Page',
  'QueryForm',
] as const;

export type SchemaSuffix = (typeof SCHEMA_SUFFIXES)[number];

/** The schemas of descriptions that belong to no resource. */
export const API_SCHEMAS = [
  'ApiError',
  'ApiProblem',
  'ApiRoot',
  'BatchCreate',
  'Batch',
  'CloudEvent',
  'HealthStatus',
  'ImportResult',
  'JsonPatch',
  'LoggedEvent',
  'LoggedEventPage',
  'PaginationInfo',
  'PaginationLinks',
  'ProtectedResourceMetadata',
  'RequestedVersion',
] as const;

export type ApiSchema = (typeof API_SCHEMAS)[number];

/** The sources of the names of a resource's schemas and operations. */
interface ResourceWords {
  /** The path segment of its collection, `order-items`. */
  readonly collection: string;
  /** `order_item`. */
  readonly singular: string;
}

/** The names of the schemas of a resource in descriptions. */
export function schemaNames({ singular }: ResourceWords): readonly string[] {
  return SCHEMA_SUFFIXES.map((suffix) => toTypeName(singular) + suffix);
}

/** The verbs of operations on a collection, and on one of its resources. */
export type OperationVerb = 'list' | 'query' | 'create' | 'get' | 'replace' | 'patch' | 'delete' | 'head' | 'options';

/** The names of all operations on a resource and its collection: `listProducts`, `getProduct`. */
export function operationNames(resource: ResourceWords): readonly string[] {
  const collection = (['list', 'query', 'head', 'options'] as const).map((verb) => collectionOperation(verb, resource));
  const item = (['create', 'get', 'replace', 'patch', 'delete', 'head', 'options'] as const).map((verb) =>
    itemOperation(verb, resource),
  );
  return [...collection, ...item];
}

/** The name of an operation on a collection. */
export function collectionOperation(verb: OperationVerb, { collection }: ResourceWords): string {
  return verb + toTypeName(collection.replaceAll('-', '_'));
}

/**
 * The name of an operation on one resource: not that of its collection, where singular and plural are the same word.
 */
export function itemOperation(verb: OperationVerb, resource: ResourceWords): string {
  const name = verb + toTypeName(resource.singular);
  return name === collectionOperation(verb, resource) ? `${name}Item` : name;
}
