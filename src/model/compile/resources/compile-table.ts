import type { CompileContext } from '../../document/compile-context.ts';
import { suggestName } from '../../document/model-error.ts';
import type { Field } from '../../model.ts';
import type { TableSource } from '../../table-source.ts';
import { readArray, readObject, readString, readStrings } from '../../values/access.ts';

/** The members of a resource that have a meaning for tables alone. */
const TABLE_MEMBERS = ['key', 'columns', 'created_at', 'updated_at'] as const;

const NEEDS_WRITES = 'the rows of a table that exists are read-only';

/** The members of a resource that nothing but writes, or tables of the server, would use. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ['parent', 'the resource of a table has no parent'],
  ['on_parent_delete', 'the resource of a table has no parent'],
  ['was', 'the table is not renamed by the server'],
  ['id', 'the ids of a table are the values of its key'],
  ...['state', 'require_if_match', 'idempotency', 'tombstones', 'generated'].map(
    (member) => [member, NEEDS_WRITES] as const,
  ),
]);

/** Sections of a model that would add resources of the server, whose rows would end with the process. */
const OWN_SECTIONS = ['webhooks', 'versions'] as const;

/** Checks if a declared resource shows a table that exists. */
export function hasTable(declared: CompileContext['declared']): boolean {
  return declared['table'] !== undefined;
}

/** Compiles the table of a resource, and reports members that do not go with it; null for a resource without one. */
export function compileTable(resource: CompileContext, fields: readonly Field[]): TableSource | null {
  const { declared, path, report } = resource;
  const table = readString(declared['table']);
  if (table === null) {
    for (const member of TABLE_MEMBERS.filter((name) => name in declared))
      report([...path, member], `${member} needs table`, 'name the table, or remove it');
    return null;
  }
  for (const [member, cause] of REFUSED) if (member in declared) report([...path, member], cause, `remove ${member}`);
  if (declared['events'] !== undefined && declared['events'] !== 'none')
    report([...path, 'events'], NEEDS_WRITES, 'remove events');
  if (declared['read_only'] === false) report([...path, 'read_only'], NEEDS_WRITES, 'remove read_only');
  checkFields(fields, resource);
  return {
    table,
    key: readKey(declared),
    columns: compileColumns(fields, resource),
    createdAt: readString(declared['created_at']),
    updatedAt: readString(declared['updated_at']),
  };
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

function checkFields(fields: readonly Field[], { path, report }: CompileContext): void {
  for (const { name, type, reference, writeOnly } of fields) {
    const at = [...path, 'schema', 'properties', name];
    if (writeOnly) report([...at, 'writeOnly'], NEEDS_WRITES, 'remove the field');
    if (reference === null || type.kind !== 'array') continue;
    report([...at, 'items', 'x-references'], 'a column of a table holds one reference', 'remove x-references');
  }
}

/**
 * Reports a model with resources of tables and others: the rows of the others would end with the process.
 *
 * @param document the whole document, as it was given
 */
export function checkTables({ declared, path, report }: CompileContext): void {
  const resources = Object.entries(readObject(declared['resources']));
  if (!resources.some(([, each]) => hasTable(readObject(each)))) return;
  for (const [name] of resources.filter(([, each]) => !hasTable(readObject(each))))
    report(
      [...path, 'resources', name],
      'resources of tables that exist, and others, cannot be in one model yet',
      'name its table, or move it to a model of its own',
    );
  const sections = [
    ...OWN_SECTIONS.filter((name) => declared[name] !== undefined).map((name) => [name]),
    ...(readObject(declared['auth'])['api_keys'] === true ? [['auth', 'api_keys']] : []),
    ...(readArray(readObject(declared['events'])['relays']).length === 0 ? [] : [['events', 'relays']]),
  ];
  for (const section of sections)
    report([...path, ...section], 'it is not supported with tables that exist yet', `remove ${section.join('.')}`);
}
