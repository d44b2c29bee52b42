import type { Field, Resource } from '../../model/model.ts';

/** The types of a resource's events. */
export function listEventTypes({ events, singular }: Pick<Resource, 'events' | 'singular'>): readonly string[] {
  switch (events) {
    case 'none':
      return [];
    case 'disabled':
      return [`${singular}.disabled`];
    case 'thin':
    case 'full':
      return ['created', 'updated', 'deleted'].map((verb) => `${singular}.${verb}`);
  }
}

/** The fields of a disabled webhook in its event: nothing of the tokens of its creator. */
const WEBHOOK_DATA: ReadonlySet<string> = new Set(['url', 'status', 'disabled_reason', 'owner']);

/** The fields that the events of a resource may have (REP-11). */
export function publishedFields({ events, fields }: Pick<Resource, 'events' | 'fields'>): readonly Field[] {
  return fields.filter(({ name, writeOnly }) => !writeOnly && (events !== 'disabled' || WEBHOOK_DATA.has(name)));
}
