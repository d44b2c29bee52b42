import type { JsonObject } from '../../conventions/json/json.ts';
import { OPERATORS } from '../../model/operators.ts';
import { requireOperation, type ResourceSurface } from '../surface/surface.ts';
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
    return exploded('list', { ...Object.fromEntries(members), sort: NAMES, fields: NAMES, expand: NAMES, q: words });
  });
}

/** The parameters of any GET of one resource. */
export function viewParameter(to: Description): JsonObject {
  return to.components.ref('parameters', 'query.view', () =>
    exploded('view', { fields: NAMES, expand: NAMES, api_version: { type: 'string' } }),
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
  const names = [...filterable.map(({ path }) => path.replaceAll('.', '\\.')), ...related].join('|');
  const pattern = `^(any\\[[0-9]+\\]\\[)?(${names})(\\]|\\[|$)`;
  return to.components.ref('parameters', partName(resource, 'filters'), () => ({
    name: 'filters',
    in: 'query',
    style: 'form',
    explode: true,
    schema: { type: 'object', propertyNames: { pattern }, additionalProperties: { type: 'string' } },
  }));
}

/** The text of a compact description that holds for all resources, in Markdown. */
export const COMPACT_TEXT = [
  'This API has many resources: what is the same for all of them stands here alone.',
  'HEAD is GET without a body, and OPTIONS lists the methods, on every path. Bodies may be JSON, as described, and the other formats. A POST of `application/x-ndjson` creates a resource for each line. PUT also accepts `id` and `revision`.',
  `Filters are parameters: \`field=value\`, or \`field[operator]=value\` with the operators ${OPERATORS.join(', ')}, also of related resources (\`supplier.country=NO\`) and in groups of alternatives (\`any[1][status]=ACTIVE&any[2][price][lt]=5\`).`,
  'Requests may have `API-Version`, `X-Correlation-ID`, `traceparent`, `tracestate`, `Prefer`, `If-Match`, `If-None-Match`, `If-Modified-Since` and `If-Unmodified-Since`. `components/headers` has the fields of responses.',
].join('\n\n');
