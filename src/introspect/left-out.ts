import type { JsonObject } from '../conventions/json/json.ts';
import type { CatalogueEntry, ClosedReason } from './database.ts';

/** Names that one comment lists. */
const MAX_NAMES = 10;

const REASONS: Readonly<Record<Exclude<ClosedReason, 'denied'>, string>> = {
  system: 'the database uses it itself.',
  extension: 'an extension of the database uses it itself.',
  virtual: 'virtual tables, such as indexes of a text search.',
  shadow: 'the storage of virtual tables.',
  restwright: 'tables of Restwright itself.',
  model: 'rows of a model of Restwright; serve that model.',
};

/** The reason for a table or a column whose name a model cannot contain. */
export const NO_NAME = 'a model cannot contain this name';

/** True for a text that a model can contain. A variable would be replaced from the environment. */
export function isWritable(text: string): boolean {
  return !text.includes('${');
}

/** The keyword of a schema for the comment on a table or a column. */
export function describeComment(comment: string | null): JsonObject {
  const text = (comment ?? '').trim();
  return text === '' || !isWritable(text) ? {} : { description: text };
}

/** True for a name of a table or a column that a model can contain. */
export function isNameable(name: string): boolean {
  return name !== '' && isWritable(name);
}

/** The reason for a table without a key. */
export const NO_KEY =
  'no column can be its key; add a primary key, a unique index of columns that are never null, or a resource with `key: COLUMN`.';

/** The reason for a view without a key. */
export const NO_VIEW_KEY =
  'a view has no key; to show one, add a resource with `table: VIEW` and `key: COLUMN`, which is unique and never null.';

/** The reason for a view that has no columns. */
export const BROKEN_VIEW = 'the database cannot read this view.';

/** The comments on tables that no resource can show, one for each reason. */
export function describeClosed(entries: readonly CatalogueEntry[]): readonly string[] {
  const byReason = Map.groupBy(entries, ({ closed }) => closed);
  return [...byReason].flatMap(([reason, closed]) => {
    if (reason === null) return [];
    if (reason === 'denied') return describeDenied(closed);
    return [`Left out: ${listTables(closed.map(({ name }) => name))}: ${REASONS[reason]}`];
  });
}

/** The comments on tables that may not be read, each with the SQL that permits it. */
function describeDenied(denied: readonly CatalogueEntry[]): readonly string[] {
  const named = denied
    .slice(0, MAX_NAMES)
    .map(({ name, grant = '' }) => `Left out: ${name}: may not be read: ${grant};`);
  const more = denied.slice(MAX_NAMES).map(({ name }) => name);
  return more.length === 0 ? named : [...named, `Left out: ${listTables(more)}: may not be read either.`];
}

/** Lists the first names and the number of all others. */
export function listTables(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return more <= 0 ? names.join(', ') : `${names.slice(0, MAX_NAMES).join(', ')} and ${more} more`;
}
