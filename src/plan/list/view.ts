import type { QueryParameter } from '../../conventions/url/query.ts';
import type { Model, Resource, SortKey } from '../../model/model.ts';
import { type Expansion, expandedResources, readExpansions } from '../expansion.ts';
import { admitParameters, type ParameterRule, commonParameterRule } from '../parameters.ts';
import type { Columns } from '../plan.ts';
import { computedFrom, type Projection, projectionKey, readProjection } from './projection.ts';

/** The requested parts of a resource: its fields and related rows (QRY-4). */
export interface View {
  /** null for all fields. */
  readonly projection: Projection | null;
  readonly expansions: readonly Expansion[];
  /** The resources of the related rows, nested ones included. */
  readonly expanded: readonly Resource[];
  /** `fields` and `expand` as sent. */
  readonly parameters: readonly QueryParameter[];
  /** A canonical form of the view, part of ETags. Empty for all fields without related rows. */
  readonly key: string;
}

/** The parameters of a GET of one resource. */
const itemRule: ParameterRule = {
  ...commonParameterRule,
  known: new Set([...commonParameterRule.known, 'fields', 'expand']),
};

/** All fields, no related rows. */
export const WHOLE_VIEW: View = { projection: null, expansions: [], expanded: [], parameters: [], key: '' };

/** Reads `fields` and `expand`. @throws {ApiError} QUERY_FIELDS_INVALID, QUERY_EXPAND_INVALID */
export function readView(
  given: ReadonlyMap<string, QueryParameter>,
  resource: Resource,
  model: Pick<Model, 'resources'>,
): View {
  const [fields, expand] = [given.get('fields'), given.get('expand')];
  if (fields === undefined && expand === undefined) return WHOLE_VIEW;
  const projection = fields === undefined ? null : readProjection(fields, resource);
  const expansions = expand === undefined ? [] : readExpansions(expand, resource, model);
  const key = `${projection === null ? '' : projectionKey(projection)} ${expansionKey(expansions)}`;
  const parameters = [fields, expand].filter((each) => each !== undefined);
  return { projection, expansions, expanded: expandedResources(expansions), parameters, key };
}

/**
 * Reads the view of a request for one resource.
 *
 * @throws {ApiError} REQUEST_PARAMETER_*, QUERY_FIELDS_INVALID, QUERY_EXPAND_INVALID
 */
export function readItemView(
  parameters: readonly QueryParameter[],
  resource: Resource,
  model: Pick<Model, 'resources'>,
  lenient: boolean,
): View {
  if (parameters.length === 0) return WHOLE_VIEW;
  const admitted = admitParameters(parameters, itemRule, lenient);
  return readView(new Map(admitted.map((parameter) => [parameter.name, parameter])), resource, model);
}

function expansionKey(expansions: readonly Expansion[]): string {
  return expansions.map(({ relation, nested }) => `${relation.name}(${expansionKey(nested)})`).join(',');
}

/**
 * The fields that a view needs from the store; null for all fields of a row. They are those that it shows, the
 * inputs of computed members, references to related rows, and sort keys.
 */
export function columnsFor(
  resource: Resource,
  { projection, expansions }: View,
  order: readonly SortKey[],
): Columns | null {
  // Large values that no one sees would end a page early.
  if (projection === null) return resource.isPartial === true ? resource.fields.map(({ name }) => name) : null;
  const needed = new Set([
    ...projection.keys(),
    ...computedFrom(resource.computed, projection),
    ...expansions.flatMap(({ relation: { kind, field } }) => (kind === 'one' || kind === 'many' ? [field] : [])),
    ...order.map(({ path }) => path.split('.')[0] ?? path),
    ...linkingFields(resource),
  ]);
  return resource.fields.map(({ name }) => name).filter((name) => needed.has(name));
}

/** The fields that links need. */
function linkingFields({ fields, parent }: Resource): readonly string[] {
  return fields
    .filter(({ name, reference }) => (reference?.as ?? null) !== null || name === parent?.field)
    .map(({ name }) => name);
}
