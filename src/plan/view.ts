import type { QueryParameter } from '../conventions/query.ts';
import type { Model, Resource, SortKey } from '../model/model.ts';
import { type Expansion, readExpansions } from './expansion.ts';
import { admitParameters, type ParameterRule, commonParameterRule } from './parameters.ts';
import type { Columns } from './plan.ts';
import { computedFrom, type Projection, projectionKey, readProjection } from './projection.ts';

/** How much of each resource a caller wants to see (QRY-4). */
export interface View {
  /** null for every field. */
  readonly projection: Projection | null;
  readonly expansions: readonly Expansion[];
  /** The parameters that say so. */
  readonly parameters: readonly QueryParameter[];
  /** One spelling of it: what tags tell apart. Empty where everything of the resource alone is told. */
  readonly key: string;
}

/** How the parameters of one resource are judged when it is read. */
const itemRule: ParameterRule = {
  ...commonParameterRule,
  known: new Set([...commonParameterRule.known, 'fields', 'expand']),
};

/** A resource as it is. */
export const WHOLE_VIEW: View = { projection: null, expansions: [], parameters: [], key: '' };

/** @throws {ApiError} QUERY_FIELDS_INVALID, QUERY_EXPAND_INVALID */
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
  return { projection, expansions, parameters: [fields, expand].filter((each) => each !== undefined), key };
}

/**
 * The view that a request of one resource asks for.
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
 * The fields that a view takes from the store: what is told, what computed members are worked out from, what leads to related rows, and
 * what the order goes by; null for all of them.
 */
export function columnsFor(
  resource: Resource,
  { projection, expansions }: View,
  order: readonly SortKey[],
): Columns | null {
  if (projection === null) return null;
  const wanted = new Set([
    ...projection.keys(),
    ...computedFrom(resource.computed, projection),
    ...expansions.flatMap(({ relation }) => (relation.kind === 'one' ? [relation.field] : [])),
    ...order.map(({ path }) => path.split('.')[0] ?? path),
    ...linkingFields(resource),
  ]);
  return resource.fields.map(({ name }) => name).filter((name) => wanted.has(name));
}

/** The fields that links are made of: they are told always. */
function linkingFields({ fields, parent }: Resource): readonly string[] {
  return fields
    .filter(({ name, reference }) => (reference?.as ?? null) !== null || name === parent?.field)
    .map(({ name }) => name);
}
