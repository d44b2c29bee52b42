import type { RelatedFields, RelatedValues } from '../../../plan/related-values.ts';
import type { WritePlan } from '../../../plan/plan.ts';
import { BindParameters, type SqlValue, type Statement } from '../dialect.ts';
import type { Tables } from '../tables.ts';
import { insertEvent } from './event-statements.ts';
import { wrapObject, relatedMembers } from '../related-json.ts';

/** The values of an event's columns. */
interface EventRow {
  /** Those before its detail, the sequence first. */
  readonly columns: readonly SqlValue[];
  /** JSON of an object; null for an empty one. */
  readonly detail: string | null;
}

/** The statements that add an event with what is recorded of related rows. */
interface RecordedEvent {
  readonly added: Statement;
  /** Adds what holds after the write, where the event has to be added before it; else null. */
  readonly completed: Statement | null;
}

/**
 * Adds an event whose detail has a member `related`: the values before and after the write, or one object for both.
 * They are read where the event is added, after the row was written. References that lead back to rows of its own
 * resource may lead to the row itself. An update then adds its event before the row is written, and completes it
 * afterwards.
 */
export function addRecorded(
  tables: Tables,
  { columns, detail }: EventRow,
  { kind, resource }: Pick<WritePlan, 'kind' | 'resource'>,
  { related, before, after }: RelatedValues,
): RecordedEvent {
  const { dialect } = tables;
  const begun = `${detail === null ? '{' : `${detail.slice(0, -1)},`}"related":[`;
  const isReread = kind === 'update' && leadsTo(related, resource);
  const isShared = before === null || after === null || (!isReread && JSON.stringify(before) === JSON.stringify(after));
  const parameters = new BindParameters(dialect);
  const places = columns.map((value) => parameters.add(value));
  const start = `cast(${parameters.add(begun)} as text)`;
  const values = (of: RelatedValues['before'], bound: BindParameters): string =>
    wrapObject(relatedMembers(tables, related, of ?? {}, bound));
  const first = `${start} || ${values(before ?? after, parameters)}`;
  const added = (text: string): Statement => ({ text: insertEvent([...places, text]), values: parameters.values });
  if (isShared) return { added: added(`${first} || ']}'`), completed: null };
  if (!isReread) return { added: added(`${first} || ',' || ${values(after, parameters)} || ']}'`), completed: null };
  const later = new BindParameters(dialect);
  const rest = `set detail = detail || ',' || ${values(after, later)} || ']}' where sequence = ${later.add(columns[0] ?? null)}`;
  return { added: added(first), completed: { text: `update restwright_events ${rest}`, values: later.values } };
}

function leadsTo(related: readonly RelatedFields[], resource: string): boolean {
  return related.some((each) => each.resource === resource || leadsTo(each.related, resource));
}
