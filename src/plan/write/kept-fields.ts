import { jsonEquals } from '../../conventions/json/json-equality.ts';
import type { JsonObject } from '../../conventions/json/json.ts';
import type { Resource } from '../../model/model.ts';
import type { Row } from '../plan.ts';

/**
 * Lists the fields of a row of another program that a change keeps. That program may have written what the schema of
 * the model does not allow.
 */
export function listKept(
  { table, fields }: Resource,
  candidate: JsonObject,
  current: Row,
): ReadonlySet<string> | undefined {
  if (table === null) return undefined;
  const kept = fields.filter(({ name }) => jsonEquals(candidate[name] ?? null, current[name] ?? null));
  return new Set(kept.map(({ name }) => name));
}
