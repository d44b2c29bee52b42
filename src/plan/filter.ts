import { type ErrorDetail, refusal } from '../conventions/errors.ts';
import { type Parameter, splitList } from '../conventions/query.ts';
import type { Resource } from '../model/model.ts';
import type { ResourceValidator } from '../model/validation.ts';
import { readFilterName } from './parameters.ts';
import type { Condition } from './plan.ts';

/** Whether a parameter's name is a filter on a property of the resource. */
export function isFilterOf(resource: Resource): (name: string) => boolean {
  return (name) => {
    const filter = readFilterName(name);
    return filter !== null && resource.properties.has(filter.path);
  };
}

/**
 * The conditions that filter parameters ask for (QRY-1): equality, any-of by repetition or `[in]`. Values are coerced by the schema (QRY-2).
 *
 * @throws {ApiError} QUERY_FILTER_INVALID with every fault in `details`
 */
export function readFilter(
  parameters: readonly Parameter[],
  resource: Resource,
  validator: ResourceValidator,
): readonly Condition[] {
  const details: ErrorDetail[] = [];
  const conditions = new Map<string, Condition & { operator: 'in' }>();
  for (const parameter of parameters) {
    const { path, operator } = readFilterName(parameter.name) ?? { path: parameter.name, operator: null };
    const texts = operator === 'in' ? splitList(parameter.raw) : [parameter.value];
    const fault = unusable(resource, path, operator);
    if (fault !== null) details.push({ field: parameter.name, message: fault });
    for (const text of fault === null ? texts : []) {
      const coerced = validator.coerce(path, text);
      if (coerced.kind === 'invalid') {
        details.push({ field: parameter.name, message: coerced.message });
        continue;
      }
      const before = conditions.get(parameter.name);
      const values = [...(before?.values ?? []), coerced.value];
      conditions.set(parameter.name, { path, operator: 'in', values });
    }
  }
  if (details.length > 0) {
    throw refusal('QUERY_FILTER_INVALID', 'A filter cannot be applied; see details for what to send.', { details });
  }
  return [...conditions.values()];
}

function unusable(resource: Resource, path: string, operator: string | null): string | null {
  if (resource.properties.get(path)?.filterable !== true) {
    const names = [...resource.properties.values()].filter(({ filterable }) => filterable).map((each) => each.path);
    return `cannot be filtered by; filters are ${names.join(', ')}`;
  }
  if (operator === null || operator === 'eq' || operator === 'in') return null;
  return `has an operator that is not served; use ${path}=value, ${path}[eq]=value or ${path}[in]=a,b`;
}
