import { weakMemoize } from '../../cache/memoize.ts';
import type { Json } from '../../conventions/json/json.ts';
import { isVisible } from '../../plan/holds.ts';
import type { Row } from '../../plan/plan.ts';
import { isJudgedByRow, judgedFields, type Visibility } from '../../plan/policy/visibility.ts';
import type { CompiledResource } from '../../contract/contract.ts';
import type { CachedItem, VerdictCache } from './item-cache.ts';

/** Writes the values of fields that policies compare, as they are cached with an item. */
export function judgedValues(fields: readonly string[], row: Row): string {
  return fields.length === 0 ? '' : JSON.stringify(fields.map((name) => row[name] ?? null));
}

/**
 * True if the values that are cached with items suffice to judge them for a caller (AUTH-5). Policies compare stored fields, so items of an older
 * contract whose rows differ cannot be judged.
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

/** Most verdicts that are cached for one visibility. */
const MAX_VERDICTS = 1_000;

/** Returns true if a caller sees a cached item. Call it only if {@link canJudge} is true. */
export function seesItem(
  compiled: CompiledResource,
  { judged }: CachedItem,
  visible: Visibility,
  verdicts: VerdictCache,
): boolean {
  if (visible.kind !== 'conditions') return visible.kind === 'everything';
  const known = verdicts.get(visible);
  const before = known?.get(judged);
  if (before !== undefined) return before;
  if (known !== undefined) verdicts.missAfterAll();
  const verdict = judge(compiled, judged, visible);
  if (known !== undefined && known.size < MAX_VERDICTS) known.set(judged, verdict);
  else verdicts.set(visible, new Map([[judged, verdict]]));
  return verdict;
}

function judge({ stored, judged: fields }: CompiledResource, judged: string, visible: Visibility): boolean {
  if (!isJudgedByRow(visible)) return false;
  const values: readonly Json[] = JSON.parse(judged);
  return isVisible(stored, Object.fromEntries(fields.map((name, index) => [name, values[index] ?? null])), visible);
}
