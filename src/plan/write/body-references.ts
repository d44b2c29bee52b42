import type { Json, JsonObject } from '../../conventions/json/json.ts';
import type { Resource } from '../../model/model.ts';
import { readsUuids, storedUuid } from '../../model/values/formats.ts';
import type { Ancestor, ReferencedRow } from '../plan.ts';

/** A reference in a body: its path (`supplier_id`, `related_ids[2]`) and the row that it refers to. */
export interface BodyReference extends ReferencedRow {
  readonly field: string;
  /** See `Reference.unread`. */
  readonly unread?: 'allow';
}

/**
 * All references to other rows in a body, except the parent's id, which comes from the path.
 *
 * @param within the ancestors of the row, which a row that it refers to below the same parent has too
 */
export function referencesIn(
  resource: Resource,
  values: JsonObject,
  within: readonly Ancestor[],
): readonly BodyReference[] {
  return resource.fields.flatMap(({ name, type, reference }) => {
    if (reference === null || name === resource.parent?.field) return [];
    const value: Json = values[name] ?? null;
    const ids = Array.isArray(value)
      ? value.map((id, index) => ({ id, field: `${name}[${index}]` }))
      : [{ id: value, field: name }];
    const item = type.kind === 'array' ? type.item.type : type;
    // A draft with errors is not in stored form yet.
    const toStored = (id: string): string => (item.kind === 'text' && readsUuids(item) ? (storedUuid(id) ?? id) : id);
    const unread = reference.unread === undefined ? {} : { unread: reference.unread };
    return ids.flatMap(({ id, field }) =>
      typeof id === 'string' ? [{ field, resource: reference.resource, id: toStored(id), within, ...unread }] : [],
    );
  });
}
