import type { Json } from '../../conventions/json.ts';
import { isVisible } from '../../plan/holds.ts';
import type { Row } from '../../plan/plan.ts';
import { isJudgedByRow, judgedFields, type Visibility } from '../../plan/visibility.ts';
import type { CompiledResource } from '../contract.ts';
import type { CachedItem } from './item-cache.ts';

/** The values of fields that policies compare, as they are cached with an item. */
export function judgedValues(fields: readonly string[], row: Row): string {
  return fields.length === 0 ? '' : JSON.stringify(fields.map((name) => row[name] ?? null));
}

/** Whether cached items of a resource can be judged for a caller: by the values that are cached with them (AUTH-5). */
export function canJudge({ judged }: CompiledResource, visible: Visibility): boolean {
  return isJudgedByRow(visible) && judgedFields(visible).every((name) => judged.includes(name));
}

/** Whether a caller sees a cached item. Only for what {@link canJudge}. */
export function seesItem({ resource, judged }: CompiledResource, item: CachedItem, visible: Visibility): boolean {
  if (visible.kind !== 'conditions') return visible.kind === 'everything';
  if (!isJudgedByRow(visible)) return false;
  const values: readonly Json[] = JSON.parse(item.judged);
  return isVisible(resource, Object.fromEntries(judged.map((name, index) => [name, values[index] ?? null])), visible);
}
