import { weakMemoize } from '../../cache/memoize.ts';
import type { Json, JsonObject } from '../../conventions/json/json.ts';
import type { Model, Property, Resource, ValueType } from '../../model/model.ts';
import { EXAMPLE_ID, exampleValue } from '../example-value.ts';
import { type ComparisonOperator, OPERATORS, listOperators } from '../../model/operators.ts';
import { listRelations } from '../../plan/expansion.ts';
import { MAX_VALUES } from '../../plan/filter/filter.ts';
import { MAX_GROUPS } from '../../plan/filter/filter-shape.ts';
import { filterablePaths } from '../../plan/filter/filter-rule.ts';
import { filterName } from '../../plan/parameters.ts';

/** A query parameter, as a parameter of GET and as a member of the form of QUERY. */
export interface SurfaceParameter {
  readonly name: string;
  readonly schema: JsonObject;
  readonly description?: string;
  /**
   * The form of its value: a list with commas, one value for each occurrence of the parameter, or an object
   * whose members are parameters. Default: one value.
   */
  readonly style?: 'list' | 'repeated' | 'members';
  readonly example?: Json;
  /** The component under which descriptions share it; absent if it stands in place. */
  readonly component?: string;
  /** The component under which they share its schema. */
  readonly schemaName?: 'RequestedVersion';
}

/** The operators in words. */
const WORDS: Readonly<Record<ComparisonOperator, string>> = {
  eq: 'equal to',
  ne: 'not equal to, or unset',
  gt: 'greater than',
  gte: 'at least',
  lt: 'less than',
  lte: 'at most',
  in: 'one of',
  nin: 'none of, or unset',
  exists: 'whether it is set',
  contains: 'contains',
  starts_with: 'starts with',
};

/**
 * The filters of a collection on its own properties (QRY-1), a parameter for each property and operator. Every
 * generator of clients can write a name such as `price[gte]`; few can write objects in a query.
 */
export const filterParameters = weakMemoize((resource: Resource): readonly SurfaceParameter[] =>
  [...resource.properties.values()]
    .filter(({ filterable }) => filterable)
    .flatMap((property) => describeFilters(property, resource)),
);

function describeFilters(property: Property, resource: Resource): readonly SurfaceParameter[] {
  const { path, type } = property;
  const operators = listOperators(type);
  const compared = comparedSchema(property);
  const named = operators.map((operator): SurfaceParameter => {
    const isList = operator === 'in' || operator === 'nin';
    return {
      name: filterName(path, operator),
      schema: operandSchema(property, operator, compared),
      description: WORDS[operator],
      ...(isList ? ({ style: 'list' } as const) : {}),
    };
  });
  if (!operators.includes('eq')) return named;
  const example = exampleOperand(property, resource);
  return [{ name: filterName(path), schema: compared, description: WORDS.eq, example }, ...named];
}

const FLAG: JsonObject = { type: 'boolean' };
const INTEGER: JsonObject = {
  type: 'integer',
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
};
const TEXT: JsonObject = { type: 'string' };

/** @param compared the schema of a value of the property */
function operandSchema({ type }: Property, operator: ComparisonOperator, compared: JsonObject): JsonObject {
  switch (operator) {
    case 'exists':
      return FLAG;
    case 'in':
    case 'nin':
      // An empty value is a text, and none of another type.
      return { type: 'array', ...(isText(type) ? {} : { minItems: 1 }), maxItems: MAX_VALUES, items: compared };
    case 'starts_with':
      return TEXT;
    case 'contains':
      // A part of a text need not be a value of its own.
      return type.kind === 'text' ? TEXT : compared;
    case 'eq':
    case 'ne':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return compared;
  }
}

/** True if values, or their items, are texts of any form. */
function isText(type: ValueType): boolean {
  const compared = type.kind === 'array' ? type.item.type : type;
  return compared.kind === 'json' || (compared.kind === 'text' && compared.format === null);
}

/**
 * A value of a property, or of its items. Values that compare by value have more spellings than those of their enum.
 */
function comparedSchema({ type, allowed }: Property): JsonObject {
  const compared = type.kind === 'array' ? type.item.type : type;
  const schema = operandType(compared);
  const isExact = compared.kind === 'text' || compared.kind === 'integer' || compared.kind === 'boolean';
  return allowed === null || !isExact ? schema : { ...schema, enum: allowed };
}

function operandType(type: ValueType): JsonObject {
  switch (type.kind) {
    case 'integer':
      return INTEGER;
    case 'boolean':
      return FLAG;
    case 'number':
      return { type: 'number', format: 'double' };
    case 'date-time':
      return { type: 'string', format: 'date-time' };
    case 'decimal':
      return { type: 'string', format: 'decimal', pattern: '^-?[0-9]+(\\.[0-9]+)?$' };
    case 'int64':
      return { type: 'string', pattern: '^-?0*[0-9]{1,19}$' };
    case 'text':
      return type.format === null ? TEXT : { type: 'string', format: type.format };
    case 'binary':
    case 'object':
    case 'map':
    case 'array':
    case 'json':
      return { type: 'string' };
  }
}

/** Finds a value with which a property is compared; null if none is known. */
function exampleOperand({ path, type, allowed }: Property, { field }: Resource): Json {
  const compared = type.kind === 'array' ? type.item.type : type;
  if (path === 'id' || (field.get(path)?.reference ?? null) !== null)
    return compared.kind === 'text' ? EXAMPLE_ID : null;
  if (compared.kind === 'json') return null;
  return allowed?.[0] ?? exampleValue({ type: compared, nullable: false }, {});
}

/**
 * The filters without a parameter of their own: those on related resources, and alternatives; of HEAD, all
 * filters. There are hundreds of them for each parameter above, so a pattern gives their names. Each member of
 * the object is a parameter of the query (`explode`).
 */
export function patternParameter(
  resource: Resource,
  model: Pick<Model, 'resources'>,
  which: 'other' | 'all',
): SurfaceParameter {
  const own = filterablePaths(resource);
  const ownPaths = listPatterns(resource);
  const related = listRelations(resource, model).flatMap(({ name, target }) => listPatterns(target, `${name}.`));
  const paths = alternatives([...ownPaths, ...related]);
  const groups = `any\\[([1-9]|${MAX_GROUPS})\\]\\[${paths}\\]`;
  const named = [
    ...(which === 'all' ? listPatterns(resource, '', filterName) : listInnerPatterns(resource)),
    ...related,
  ];
  // One form, with and without names: so that two descriptions can be compared.
  const names = `(${groups}${named.length === 0 ? '' : `|${alternatives(named)}`})`;
  return {
    name: `${which}Filters`,
    style: 'members',
    description: DESCRIPTIONS[which],
    schema: {
      type: 'object',
      propertyNames: { pattern: `^${names}(\\[(${OPERATORS.join('|')})\\])?$` },
      additionalProperties: { type: 'string' },
      examples: [{ [`any[1][${own[0] ?? 'id'}]`]: 'a', [`any[2][${own[0] ?? 'id'}]`]: 'b' }],
    },
  };
}

const RELATED =
  'on related resources (supplier.country=NO) and alternatives (any[1][status]=ACTIVE&any[2][price][lt]=5): all members of one group hold, or all of another.';
const DESCRIPTIONS = { other: `Filters ${RELATED}`, all: `Filters as of GET, also ${RELATED}` } as const;

function alternatives(patterns: readonly string[]): string {
  return `(${patterns.join('|')})`;
}

/** The pattern of a name in a path through any JSON, with the dot before it. */
export const JSON_MEMBER = String.raw`\.[^.\[\]"\\\x00-\x1f\x7f-\x9f]+`;

/** The patterns of the paths of filters: those of any JSON lead to its values, too. */
function listPatterns(
  { properties }: Resource,
  prefix = '',
  nameOf = (path: string): string => path,
): readonly string[] {
  return [...properties.values()]
    .filter(({ filterable }) => filterable)
    .map(({ path, type }) => `${escaped(nameOf(prefix + path))}${type.kind === 'json' ? `(${JSON_MEMBER})*` : ''}`);
}

/** The patterns of the paths that lead into the JSON of a resource. */
function listInnerPatterns({ properties }: Resource): readonly string[] {
  const json = [...properties.values()].filter(({ filterable, type }) => filterable && type.kind === 'json');
  return json.map(({ path }) => `${escaped(path)}(${JSON_MEMBER})+`);
}

function escaped(path: string): string {
  return path.replaceAll(/[.[\]]/g, String.raw`\$&`);
}
