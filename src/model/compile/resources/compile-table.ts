import type { CompileContext } from '../../document/compile-context.ts';
import { suggestName } from '../../document/model-error.ts';
import type { Field, ValueType } from '../../model.ts';
import { findColumn, type TableSource, timeType } from '../../table-source.ts';
import { readObject, readString, readStrings } from '../../values/access.ts';

/** The members of a resource that have a meaning for tables alone. */
const TABLE_MEMBERS = ['key', 'columns', 'created_at', 'updated_at', 'changes'] as const;

/** The members of a resource that only tables of the server would use. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ['parent', 'the resource of a table has no parent'],
  ['on_parent_delete', 'the resource of a table has no parent'],
  ['was', 'the table is not renamed by the server'],
  ['id', 'the ids of a table are the values of its key'],
]);

/** Checks if a declared resource shows a table that exists. */
export function hasTable(declared: CompileContext['declared']): boolean {
  return declared['table'] !== undefined;
}

/**
 * Compiles the table of a resource, and reports members that do not go with it; null for a resource without one.
 *
 * @param document the whole document
 */
export function compileTable(
  resource: CompileContext,
  fields: readonly Field[],
  document: CompileContext['declared'],
): TableSource | null {
  const { declared, path, report } = resource;
  const table = readString(declared['table']);
  checkLists(fields, resource, document);
  if (table === null) {
    for (const member of TABLE_MEMBERS.filter((name) => name in declared))
      report([...path, member], `${member} needs table`, 'name the table, or remove it');
    return null;
  }
  for (const [member, cause] of REFUSED) if (member in declared) report([...path, member], cause, `remove ${member}`);
  return {
    table,
    key: readKey(declared),
    columns: compileColumns(fields, resource),
    createdAt: readString(declared['created_at']),
    updatedAt: readString(declared['updated_at']),
    changes: readChanges(resource),
  };
}

/**
 * Fits fields to the columns of a table. Times have microseconds. Fields of a key that is named are immutable: a row
 * with another key is another row (REP-6).
 */
export function fitToTable(fields: readonly Field[], table: TableSource | null): readonly Field[] {
  if (table === null) return fields;
  const time = timeType({ table });
  const key = new Set(table.key);
  return fields.map((field) => ({
    ...field,
    type: withTimes(field.type, time),
    immutable: field.immutable || (!field.readOnly && key.has(findColumn(table, field.name))),
  }));
}

/** Gives times a type, also as the items of arrays. Those in JSON have milliseconds. */
function withTimes(type: ValueType, time: ValueType): ValueType {
  if (type.kind === 'date-time') return time;
  if (type.kind !== 'array' || type.item.type.kind !== 'date-time') return type;
  return { ...type, item: { ...type.item, type: time } };
}

function readChanges({ declared, path, report }: CompileContext): TableSource['changes'] {
  if (declared['changes'] !== 'triggers') return 'none';
  if (declared['read_only'] === true)
    report([...path, 'changes'], 'a table that is only read has no events', 'remove changes, or read_only');
  if (declared['events'] === 'none')
    report([...path, 'changes'], 'the resource has no events', 'remove changes, or set events to thin or full');
  return 'triggers';
}

function readKey({ key }: CompileContext['declared']): readonly string[] | null {
  if (key === undefined) return null;
  return typeof key === 'string' ? [key] : readStrings(key);
}

function compileColumns(fields: readonly Field[], { declared, path, report }: CompileContext): TableSource['columns'] {
  const names = new Set(fields.map(({ name }) => name));
  const entries = Object.entries(readObject(declared['columns']));
  for (const [field] of entries.filter(([name]) => !names.has(name)))
    report([...path, 'columns', field], `there is no field ${field}`, suggestName(field, names));
  return new Map(entries.map(([field, column]) => [field, readString(column) ?? '']));
}

/** Reports lists of references in a table, and to one: no column and no link table holds them. */
function checkLists(
  fields: readonly Field[],
  { declared, path, report }: CompileContext,
  document: CompileContext['declared'],
): void {
  for (const { name, type, reference } of fields) {
    if (reference === null || type.kind !== 'array') continue;
    const at = [...path, 'schema', 'properties', name, 'items', 'x-references'];
    const isOther = hasTable(readObject(readObject(document['resources'])[reference.resource]));
    if (hasTable(declared)) report(at, 'a column of a table holds one reference', 'remove x-references');
    else if (isOther) {
      const fix = 'remove x-references, or refer to one row with a field of its own';
      report(at, `${reference.resource} shows a table that exists, to which a list cannot refer`, fix);
    }
  }
}
