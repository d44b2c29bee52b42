import type { JsonObject } from '../../conventions/json/json.ts';
import { OPERATORS } from '../../model/operators.ts';
import { requireOperation, type ResourceSurface } from '../surface/surface.ts';
import { filterParameters, JSON_MEMBER, type SurfaceParameter } from '../surface/filter-parameters.ts';
import { type Description, partName } from './described-resource.ts';

const NAMES: JsonObject = { type: 'string', description: 'Names, separated by commas.' };

/** The parameters of any list besides its filters: each member of the object is one (`explode`). */
export function listParameter(to: Description): JsonObject {
  return to.components.ref('parameters', 'query.list', () => {
    const [first] = to.surface.resources.values();
    const query = first === undefined ? [] : requireOperation(first.collection, 'GET').query;
    const shared = query.filter(({ component }) => component?.startsWith('query.'));
    const members = shared.map(({ name, schema, description = '' }) => [name, { ...schema, description }] as const);
    const words = { type: 'string', description: 'Words that begin words of the searched fields.' };
    const view = to.profile === 'generators' ? {} : { fields: NAMES };
    return exploded('list', { ...Object.fromEntries(members), sort: NAMES, ...view, expand: NAMES, q: words });
  });
}

/** The parameters of any GET of one resource. */
export function viewParameter(to: Description): JsonObject {
  return to.components.ref('parameters', 'query.view', () =>
    exploded('view', {
      ...(to.profile === 'generators' ? {} : { fields: NAMES }),
      expand: NAMES,
      api_version: { type: 'string' },
    }),
  );
}

function exploded(name: string, properties: JsonObject): JsonObject {
  return {
    name,
    in: 'query',
    style: 'form',
    explode: true,
    description: 'Each member is a parameter.',
    schema: { type: 'object', properties, additionalProperties: false },
  };
}

/** The filters of a list, by its fields and those of related resources. Each may have an operator, and a group. */
export function filtersParameter({ resource, filterable, relations }: ResourceSurface, to: Description): JsonObject {
  const related = relations.length === 0 ? [] : [`(${relations.map(({ name }) => name).join('|')})\\.[a-z0-9_.]+`];
  const own = filterable.map(({ path, type }) => {
    return `${path.replaceAll('.', '\\.')}${type.kind === 'json' ? `(${JSON_MEMBER})*` : ''}`;
  });
  const names = [...own, ...related].join('|');
  const pattern = `^(any\\[[0-9]+\\]\\[)?(${names})(\\]|\\[|$)`;
  return to.components.ref('parameters', partName(resource, 'filters'), () => ({
    name: 'filters',
    in: 'query',
    style: 'form',
    explode: true,
    schema: { type: 'object', propertyNames: { pattern }, additionalProperties: { type: 'string' } },
  }));
}

/**
 * The filters of a list as an object: each member is a parameter, whose name has its operator. Of many resources, the
 * members with an operator have no names.
 */
export function filterObject({ resource, filterable }: ResourceSurface, to: Description): JsonObject {
  const { isCompact } = to.contract;
  const plain = new Set(isCompact ? filterable.map(({ path }) => path) : []);
  const listed = filterParameters(resource).filter(({ name }) => !isCompact || plain.has(name));
  const members = listed.map(({ name, schema, style }) => [name, filterMember(schema, style)] as const);
  const schema = to.components.ref('schemas', partName(resource, 'filters'), () => ({
    type: 'object',
    properties: Object.fromEntries(members),
    ...(isCompact ? { additionalProperties: { type: 'string' } } : {}),
  }));
  return to.components.ref('parameters', partName(resource, 'filters'), () => ({
    name: 'filters',
    in: 'query',
    description: 'Each member is a parameter of the URL.',
    style: 'form',
    explode: true,
    schema,
  }));
}

/** A filter without its words. Inside of an object, a list has no form of its own, so that it is a text. */
function filterMember(schema: JsonObject, style: SurfaceParameter['style']): JsonObject {
  if (style === 'list') return { type: 'string' };
  const { type = 'string', format = null } = schema;
  if (type === 'integer') return { type, format: 'int64' };
  return format === null ? { type } : { type, format };
}

/** The text of a description for generators of clients, in Markdown. */
export const GENERATORS_TEXT = [
  'This description is for generators of clients: bodies are JSON alone, without HEAD, OPTIONS, QUERY and webhooks. `/openapi.json` has all of the API.',
  'Filters are members of one object, each a parameter of the URL: `price[gte]=5`. Those of `in` and `nin` are lists with commas. Filters on related resources (`supplier.country=NO`) and in groups of alternatives (`any[1][status]=ACTIVE`) may be added to the URL.',
].join('\n\n');

/** The text of a compact description that holds for all resources, in Markdown. */
export const COMPACT_TEXT = [
  'This API has many resources: what is the same for all of them stands here alone.',
  'HEAD is GET without a body, and OPTIONS lists the methods, on every path. Bodies may be JSON, as described, and the other formats. A POST of `application/x-ndjson` creates a resource for each line. PUT also accepts `id` and `revision`.',
  `Filters are parameters: \`field=value\`, or \`field[operator]=value\` with the operators ${OPERATORS.join(', ')}, also of related resources (\`supplier.country=NO\`) and in groups of alternatives (\`any[1][status]=ACTIVE&any[2][price][lt]=5\`).`,
  'Requests may have `API-Version`, `X-Correlation-ID`, `traceparent`, `tracestate`, `Prefer`, `If-Match`, `If-None-Match`, `If-Modified-Since` and `If-Unmodified-Since`. `components/headers` has the fields of responses.',
].join('\n\n');
