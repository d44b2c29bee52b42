import { fieldOfPath } from '../../conventions/text/field-path.ts';
import { isJsonObject, type Json } from '../../conventions/json/json.ts';
import type { Resource, ValueType } from '../../model/model.ts';
import { valueAt } from '../list/list-query.ts';
import {
  type ComparedPath,
  type Comparison,
  holdsForUnset,
  type JsonPlace,
  type PathCondition,
  type RowCondition,
} from '../condition.ts';
import type { FieldValues } from '../plan.ts';
import { relatedMember } from '../related-values.ts';
import { type Condition, type RowVisibility, type Visibility, visibleConditions } from '../visibility.ts';
import { compileComparison } from '../value-order.ts';

type Compared = Pick<Resource, 'properties'>;

/**
 * True if a row is visible, as stores decide it (AUTH-5). A visibility that other rows decide, too, is for the store
 * alone.
 *
 * @param row in its JSON form, with every field that the conditions compare
 */
export function isVisible(resource: Compared, row: FieldValues, visible: RowVisibility): boolean {
  switch (visible.kind) {
    case 'everything':
      return true;
    case 'nothing':
      return false;
    case 'conditions':
      return visible.conditions.every((each) => holds(resource, row, each));
  }
}

/**
 * True if a row was visible by its recorded values (EVT-8, MET-4). A comparison of a value that was not recorded
 * is unknown, like one with a claim that the caller does not have. Neither it nor its negation shows the row.
 *
 * @param row as `recordedValues` makes it, with those of related rows
 */
export function wasVisible(
  resources: ReadonlyMap<string, Resource>,
  resource: Compared,
  row: FieldValues,
  visible: Visibility,
): boolean {
  return visibleConditions(visible).every((each) => held(resources, resource, row, each));
}

function held(
  resources: ReadonlyMap<string, Resource>,
  resource: Compared,
  row: FieldValues,
  condition: Condition,
): boolean {
  if ('path' in condition) return isRecorded(row, condition) && holds(resource, row, condition);
  switch (condition.operator) {
    case 'any':
      return condition.alternatives.some((each) => each.every((part) => held(resources, resource, row, part)));
    case 'related': {
      const target = resources.get(condition.relation.resource);
      const related = row[relatedMember(condition.relation.field)];
      if (related === null) return condition.conditions.every(holdsForUnset);
      if (target === undefined || !isJsonObject(related)) return false;
      return condition.conditions.every((each) => held(resources, target, related, each));
    }
    // No policy searches.
    case 'search':
      return false;
    case 'not':
      return isRecorded(row, condition.condition) && holds(resource, row, condition);
  }
}

function isRecorded(row: FieldValues, { path }: PathCondition): boolean {
  return Object.hasOwn(row, fieldOfPath(path));
}

/**
 * True if a row fulfils a condition, as stores decide it (QRY-7): unset fields fulfil `nin`, `exists` is false, and
 * nothing else. Null is in no relation to a value.
 *
 * @param row in its JSON form, with every field that the condition compares
 */
export function holds(resource: Compared, row: FieldValues, condition: RowCondition): boolean {
  if ('path' in condition) return compares(resource, row, condition);
  if (condition.operator === 'not') return !compares(resource, row, condition.condition);
  return condition.alternatives.some((each) => each.every((part) => holds(resource, row, part)));
}

function compares({ properties }: Compared, row: FieldValues, condition: PathCondition): boolean {
  const value = comparedValue(row, condition);
  const type = condition.inside?.type ?? properties.get(condition.path)?.type ?? { kind: 'text', format: null };
  if (condition.operator === 'exists') return condition.value === isSet(value, type);
  if (!isSet(value, type)) return condition.operator === 'nin';
  switch (condition.operator) {
    case 'in':
      return condition.values.some((one) => one !== null && compileComparison(type)(one, value) === 0);
    case 'nin':
      return !condition.values.some((one) => one !== null && compileComparison(type)(one, value) === 0);
    case 'starts_with':
      return typeof value === 'string' && value.startsWith(condition.value);
    case 'contains': {
      if (!Array.isArray(value))
        return typeof value === 'string' && typeof condition.value === 'string' && value.includes(condition.value);
      const compare = compileComparison(type.kind === 'array' ? type.item.type : type);
      return value.some((item: Json) => compare(item, condition.value) === 0);
    }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return condition.value !== null && fulfils(condition.operator, compileComparison(type)(value, condition.value));
  }
}

function fulfils(operator: Comparison, order: number): boolean {
  switch (operator) {
    case 'gt':
      return order > 0;
    case 'gte':
      return order >= 0;
    case 'lt':
      return order < 0;
    case 'lte':
      return order <= 0;
  }
}

/** An empty array is unset (REP-4), but for one in JSON. */
function isSet(value: Json, { kind }: ValueType): boolean {
  return value !== null && (kind === 'json' || !(Array.isArray(value) && value.length === 0));
}

function comparedValue(row: FieldValues, { path, inside }: ComparedPath): Json {
  const value = valueAt(row, path);
  return inside === undefined ? value : valueInside(value, inside);
}

/** The value at a place of JSON; null where there is none, or one of another type. */
function valueInside(json: Json, { members, type: { kind } }: JsonPlace): Json {
  let value: Json | undefined = json;
  for (const name of members) {
    value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  if (value === undefined || kind === 'json') return value ?? null;
  return typeof value === (kind === 'text' ? 'string' : kind) ? value : null;
}
