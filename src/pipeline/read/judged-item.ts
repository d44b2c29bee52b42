import { weakMemoize } from '../../cache/memoize.ts';
import type { Json } from '../../conventions/json/json.ts';
import { isVisible } from '../../plan/policy/holds.ts';
import type { Row } from '../../plan/plan.ts';
import { isJudgedByRow, judgedFields, type Visibility } from '../../plan/visibility.ts';
import type { CompiledResource } from '../contract.ts';
import type { CachedItem } from './item-cache.ts';

/** The values of fields that policies compare, as they are cached with an item. */
export function judgedValues(fields: readonly string[], row: Row): string {
  return fields.length === 0 ? '' : JSON.stringify(fields.map((name) => row[name] ?? null));
}

/**
 * Whether cached items of a resource can be judged for a caller: by the values that are cached with them (AUTH-5). Those of an older contract whose rows
 * differ cannot: policies compare stored fields.
 */
export function canJudge({ judged }: CompiledResource, visible: Visibility): boolean {
  return visible.kind !== 'conditions' || judgeable(judged)(visible);
}

/** By the fields that a contract caches, and by visibility, which all contracts share. */
const judgeable = weakMemoize((judged: readonly string[]) =>
  weakMemoize(
    (visible: Visibility) => isJudgedByRow(visible) && judgedFields(visible).every((name) => judged.includes(name)),
  ),
);

/** Most verdicts that are kept for one visibility. */
const MAX_VERDICTS = 1_000;

/** What the values of cached items came to, by *visibility*: a caller reads many rows with the same ones, such as its own. */
const verdicts = new WeakMap<Visibility, Map<string, boolean>>();

/** Whether a caller sees a cached item. Only for what {@link canJudge}. */
export function seesItem(compiled: CompiledResource, { judged }: CachedItem, visible: Visibility): boolean {
  if (visible.kind !== 'conditions') return visible.kind === 'everything';
  const known = verdicts.get(visible) ?? new Map<string, boolean>();
  const before = known.get(judged);
  if (before !== undefined) return before;
  if (known.size >= MAX_VERDICTS) known.clear();
  const verdict = judge(compiled, judged, visible);
  known.set(judged, verdict);
  verdicts.set(visible, known);
  return verdict;
}

function judge({ stored, judged: fields }: CompiledResource, judged: string, visible: Visibility): boolean {
  if (!isJudgedByRow(visible)) return false;
  const values: readonly Json[] = JSON.parse(judged);
  return isVisible(stored, Object.fromEntries(fields.map((name, index) => [name, values[index] ?? null])), visible);
}
