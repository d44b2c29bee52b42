import { matchesType } from '../conventions/events/event-pattern.ts';
import { closestMatch } from '../conventions/text/closest-match.ts';
import type { Field, Resource } from './model.ts';

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

/**
 * The error of a pattern that matches none of the types, with the nearest type or pattern; null if it matches one.
 *
 * @param types all types of a model
 */
export function findUnmatchedPattern(
  pattern: string,
  types: readonly string[],
): { readonly nearest: string | null; readonly known: readonly string[] } | null {
  if (types.some((type) => matchesType(pattern, type))) return null;
  const known = pattern.endsWith('.*') ? [...new Set(types.map((type) => type.replace(/\..*$/, '.*')))] : types;
  return { nearest: closestMatch(pattern, known), known: known.slice(0, 10) };
}
