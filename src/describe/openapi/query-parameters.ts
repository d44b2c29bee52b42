import { weakMemoize } from '../../cache/memoize.ts';
import type { JsonObject } from '../../conventions/json/json.ts';
import type { Member, Resource } from '../../model/model.ts';
import { MAX_EXPANDED, relationsOf } from '../../plan/list/expansion.ts';
import { MAX_FIELDS } from '../../plan/list/projection.ts';
import { isSortable, MAX_KEYS } from '../../plan/list/sort.ts';
import { PARAMETER_EXAMPLES, withExample } from './api-examples.ts';
import { versionSchema } from './api-schemas.ts';
import type { DescribedContract } from '../described-contract.ts';
import { type Description, partName } from './described-resource.ts';
import { filterParameters, patternParameter, type QueryParameterDescription } from './filter-parameters.ts';

const FLAG: JsonObject = { type: 'boolean' };
const TIME: JsonObject = { type: 'string', format: 'date-time' };
const ID: JsonObject = { type: 'string' };

/** The version that a request names besides its path, which has the major (VER-1). */
function versionParameter(description: Description): QueryParameterDescription {
  return { name: 'api_version', schema: versionSchema(description), description: 'The version of the API.' };
}

/** The parameters of pages, of all techniques (PAGE-3, PAGE-4). */
const pageParameters = weakMemoize(({ model }: DescribedContract): readonly QueryParameterDescription[] => {
  const { page } = model.limits;
  const limit: JsonObject = { type: 'integer', minimum: 1 };
  return [
    {
      name: 'limit',
      schema: { ...limit, default: page.default },
      description: `Items of a page; more than ${page.max} are ${page.max}.`,
    },
    // Without the default: some clients send the default of every parameter, and only one of the two may be sent.
    { name: 'per_page', schema: limit, description: 'The same as limit.' },
    { name: 'page', schema: { type: 'integer', minimum: 1 }, description: 'The number of a page, from 1.' },
    {
      name: 'offset',
      schema: { type: 'integer', minimum: 0, maximum: page.maxOffset },
      description: 'Items to leave out.',
    },
    {
      name: 'after',
      schema: { type: 'string' },
      description: 'A cursor: next_cursor or prev_cursor of a page, of events also end_cursor.',
    },
    { name: 'last_id', schema: ID, description: 'The items with a greater id.' },
    { name: 'after_timestamp', schema: TIME, description: 'With after_id: the items after this time and id.' },
    { name: 'after_id', schema: ID, description: 'With after_timestamp.' },
    { name: 'start_time', schema: TIME, description: 'The items of this time or later.' },
    { name: 'before', schema: TIME, description: 'The items before this time.' },
    { name: 'include_total', schema: FLAG, description: 'Whether the items of all pages are counted.' },
  ];
});

/** The order, the words that are searched, and the members and related resources to show. */
function viewParameters(resource: Resource, description: Description): readonly QueryParameterDescription[] {
  const relations = relationsOf(resource, description.contract.model).map(({ name }) => name);
  return [
    {
      name: 'fields',
      schema: {
        type: 'array',
        minItems: 1,
        maxItems: MAX_FIELDS,
        items: { type: 'string', enum: selectablePaths(resource) },
      },
      description: 'The members to show; id, revision and links always are.',
      isList: true,
      example: selectablePaths(resource).slice(0, 2),
    },
    ...(relations.length === 0
      ? []
      : [
          {
            name: 'expand',
            schema: {
              type: 'array',
              minItems: 1,
              maxItems: MAX_EXPANDED,
              items: { type: 'string', pattern: `^(${relations.join('|')})(\\.[a-z][a-z0-9_]*){0,2}$` },
            },
            description: 'Relations whose resources are embedded, up to three deep: supplier,reviews.author.',
            isList: true,
            example: relations.slice(0, 1),
          } as const,
        ]),
  ];
}

function orderParameters(resource: Resource): readonly QueryParameterDescription[] {
  const paths = [...resource.properties.keys()].filter((path) => isSortable(resource, path));
  return [
    {
      name: 'sort',
      schema: {
        type: 'array',
        minItems: 1,
        maxItems: MAX_KEYS,
        items: { type: 'string', enum: paths.flatMap((path) => [path, `-${path}`]) },
      },
      description: 'The order; - before a name is descending.',
      isList: true,
      example: paths.slice(-1).map((path) => `-${path}`),
    },
    ...(resource.search.length === 0
      ? []
      : [{ name: 'q', schema: { type: 'string' }, description: 'Words that begin words of the searched fields.' }]),
  ];
}

/** The paths that `fields` knows: members, and those inside of objects. */
function selectablePaths({ fields, computed }: Resource): readonly string[] {
  const own = fields.filter(({ writeOnly }) => !writeOnly).flatMap((field) => pathsOf(field, ''));
  return [
    ...new Set(['id', ...own, ...computed.map(({ name }) => name), 'created_at', 'updated_at', 'revision', 'links']),
  ];
}

function pathsOf({ name, type }: Member, prefix: string): readonly string[] {
  const path = prefix + name;
  const inner = type.kind === 'object' ? type.members.flatMap((member) => pathsOf(member, `${path}.`)) : [];
  return [path, ...inner];
}

/** Every parameter of a page of a collection but those of {@link patternParameter}, each once. */
export function listParameters(resource: Resource, description: Description): readonly QueryParameterDescription[] {
  return [
    ...pageParameters(description.contract),
    ...orderParameters(resource),
    ...viewParameters(resource, description),
    versionParameter(description),
    ...filterParameters(resource),
  ];
}

/**
 * The query parameters of a page. Those that no other operation has are written in place: as components they would need a reference each, which is as
 * long as most of them.
 */
export function listParameterObjects(resource: Resource, description: Description): readonly JsonObject[] {
  const pattern = patternParameter(resource, description, 'other');
  return [...commonRefs(resource, description), ...filterParameters(resource).map(queryParameter), pattern];
}

/** The query parameters of HEAD: those of a page, with all filters in one. */
export function headParameterObjects(resource: Resource, description: Description): readonly JsonObject[] {
  return [...commonRefs(resource, description), patternParameter(resource, description, 'all')];
}

/** References to some of the parameters of a page. */
export function pageParameterRefs(names: readonly string[], description: Description): readonly JsonObject[] {
  return pageParameters(description.contract)
    .filter(({ name }) => names.includes(name))
    .map((parameter) => sharedRef(parameter, description));
}

/** References to the parameters of a page that are not filters. */
function commonRefs(resource: Resource, description: Description): readonly JsonObject[] {
  const shared = [...pageParameters(description.contract), versionParameter(description)].map((parameter) =>
    sharedRef(parameter, description),
  );
  const own = [...orderParameters(resource), ...viewParameters(resource, description)].map((parameter) =>
    description.components.ref('parameters', partName(resource, parameter.name), () => queryParameter(parameter)),
  );
  return [...shared, ...own];
}

/** References to the parameters of a read of one resource. */
export function itemParameterRefs(resource: Resource, description: Description): readonly JsonObject[] {
  const { components } = description;
  const view = viewParameters(resource, description).map((parameter) =>
    components.ref('parameters', partName(resource, parameter.name), () => queryParameter(parameter)),
  );
  return [...view, versionRef(description)];
}

/** A reference to `api_version`. */
export function versionRef(description: Description): JsonObject {
  return description.components.ref('parameters', sharedName('api_version'), () =>
    queryParameter(versionParameter(description)),
  );
}

/** References to the parameters of a write. */
export function writeParameterRefs(description: Description): readonly JsonObject[] {
  const dry = description.components.ref('parameters', sharedName('dry_run'), () =>
    queryParameter({
      name: 'dry_run',
      schema: FLAG,
      description: 'Whether all checks are made, and nothing is stored or published.',
    }),
  );
  return [dry, versionRef(description)];
}

function sharedRef(parameter: QueryParameterDescription, { components }: Description): JsonObject {
  return components.ref('parameters', sharedName(parameter.name), () => queryParameter(parameter));
}

/** The name of the component of a parameter that resources share. */
function sharedName(name: string): string {
  return `query.${name}`;
}

/** A parameter as OpenAPI has it. */
function queryParameter({ name, schema, description, isList, example }: QueryParameterDescription): JsonObject {
  const style = isList === true ? { style: 'form', explode: false } : {};
  const own = withExample(schema, example ?? PARAMETER_EXAMPLES[name]);
  return { name, in: 'query', ...(description === undefined ? {} : { description }), ...style, schema: own };
}
