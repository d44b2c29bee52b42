import type { Json } from '../conventions/json/json.ts';
import type { FilterCondition, RelationKey } from './condition.ts';

/**
 * A canonical form of conditions, to compare filters: independent of the order and the repetition of conditions, values
 * and alternatives.
 */
export function filterKey(filter: readonly FilterCondition[]): string {
  return [...new Set(filter.map((condition) => JSON.stringify(canonical(condition))))].sort().join('\n');
}

function canonical(condition: FilterCondition): Json {
  if ('path' in condition) {
    const values: readonly Json[] = 'values' in condition ? condition.values : [condition.value];
    const distinct = [...new Set(values.map((value) => JSON.stringify(value)))].sort();
    const { path, inside } = condition;
    const place = inside === undefined ? path : [path, inside.type.kind, ...inside.members];
    return [place, condition.operator, distinct];
  }
  switch (condition.operator) {
    case 'not':
      return ['not', canonical(condition.condition)];
    case 'search':
      return ['search', condition.words.toSorted()];
    case 'related':
      return ['related', leadsTo(condition.relation), filterKey(condition.conditions)];
    case 'any':
      return ['any', [...new Set(condition.alternatives.map(filterKey))].sort()];
  }
}

/** A relation as a string: `supplier_id>suppliers`, or `products<supplier_id` for the rows that refer to a row. */
export function leadsTo({ resource, field, inverse }: RelationKey): string {
  return inverse ? `${resource}<${field}` : `${field}>${resource}`;
}
