import { type ApiField, type ApiFilter, type FieldKind, type FilterOperator, OPERATORS } from './api-schema.ts';
import { asList, asRecord, asText, asTexts, type JsonDocument, type JsonRecord } from './json-access.ts';

const COMPARED: readonly FilterOperator[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin', 'exists'];
const TEXTUAL: readonly FilterOperator[] = [...COMPARED, 'contains', 'starts_with'];

/** The operators by kind, for documents that name filters by a pattern alone. */
const OPERATORS_BY_KIND: Readonly<Record<FieldKind, readonly FilterOperator[]>> = {
  string: TEXTUAL,
  text: TEXTUAL,
  enum: TEXTUAL,
  reference: TEXTUAL,
  integer: COMPARED,
  int64: COMPARED,
  number: COMPARED,
  decimal: COMPARED,
  boolean: COMPARED,
  date: COMPARED,
  time: COMPARED,
  'date-time': COMPARED,
  list: ['contains', 'exists'],
  map: ['exists'],
  object: ['exists'],
  binary: ['exists'],
  json: TEXTUAL,
};

/** The facts in the parameters of a list. */
export interface ListParameters {
  readonly filters: readonly ApiFilter[];
  readonly sort: readonly string[] | null;
  readonly search: boolean | null;
  readonly relations: readonly string[];
}

/** Reads the parameters of the operation that lists a collection. */
export function readListParameters(
  operation: JsonRecord,
  fields: readonly ApiField[],
  document: JsonDocument,
): ListParameters {
  const parameters = asList(operation['parameters']).map((each) => document.follow(each));
  const byName = new Map(parameters.map((each) => [asText(each['name']) ?? '', asRecord(each['schema'])]));
  const compact = byName.get('list') !== undefined;
  const pattern = asText(asRecord(byName.get('filters')?.['propertyNames'])['pattern']);
  return {
    filters: compact ? patternFilters(pattern ?? '', fields) : namedFilters([...byName.keys()]),
    sort: compact ? null : sortPaths(byName.get('sort')),
    search: compact ? null : byName.has('q'),
    relations: compact ? patternRelations(pattern ?? '') : expandedRelations(byName.get('expand')),
  };
}

const FILTER = /^(?:filter\[([^\]]+)\]|([a-z][a-z0-9_.]*))\[([a-z_]+)\]$/;

/** The filters that a document lists one by one: `price[gte]`, `filter[limit][gte]`. */
function namedFilters(names: readonly string[]): readonly ApiFilter[] {
  const pairs = names.flatMap((name) => {
    const [, reserved, plain, operator] = FILTER.exec(name) ?? [];
    const path = reserved ?? plain;
    const known = OPERATORS.find((each) => each === operator);
    return path === undefined || known === undefined ? [] : [{ path, operator: known }];
  });
  return [...Map.groupBy(pairs, ({ path }) => path)].map(([path, found]) => ({
    path,
    operators: found.map(({ operator }) => operator),
  }));
}

const COMPACT = /^\^\(any\\\[\[0-9\]\+\\\]\\\[\)\?\((.*)\)\(\\\]\|\\\[\|\$\)$/;
const RELATED = /\|?\(([a-z0-9_|]+)\)\\\.\[a-z0-9_\.\]\+$/;

/** The filters of a compact document: one pattern has their paths. */
function patternFilters(pattern: string, fields: readonly ApiField[]): readonly ApiFilter[] {
  const own = (COMPACT.exec(pattern)?.[1] ?? '').replace(RELATED, '');
  const known = new Map(listPaths(fields).map((each) => [each.path, each]));
  return own.split('|').flatMap((part) => {
    const path = part.replace(/\(.*$/, '').replaceAll('\\', '');
    const field = known.get(path);
    return field === undefined ? [] : [{ path, operators: OPERATORS_BY_KIND[field.kind] }];
  });
}

function patternRelations(pattern: string): readonly string[] {
  return RELATED.exec(COMPACT.exec(pattern)?.[1] ?? '')?.[1]?.split('|') ?? [];
}

function sortPaths(schema: JsonRecord | undefined): readonly string[] {
  return asTexts(asRecord(schema?.['items'])['enum']).filter((path) => !path.startsWith('-'));
}

function expandedRelations(schema: JsonRecord | undefined): readonly string[] {
  const pattern = asText(asRecord(schema?.['items'])['pattern']) ?? '';
  return /^\^\(([^)]+)\)/.exec(pattern)?.[1]?.split('|') ?? [];
}

/** The fields, and the members of objects in them. */
export function listPaths(fields: readonly ApiField[]): readonly ApiField[] {
  return fields.flatMap((field) => [field, ...listPaths(field.members)]);
}
