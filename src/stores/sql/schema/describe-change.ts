import type { Alteration } from './alteration.ts';
import type { SchemaChange } from './schema-changes.ts';

/** Describes a change in a few words. */
export function describeChange(change: SchemaChange): string {
  switch (change.kind) {
    case 'rename-table':
      return `rename ${change.from} to ${change.to}`;
    case 'rename-column':
      return `rename ${change.table}.${change.from} to ${change.to}`;
    case 'drop-index':
      return `drop the index ${change.name}`;
    case 'alter-table':
      return `change ${change.alteration.after.name}: ${describeAlteration(change.alteration)}`;
    case 'create-table':
      return `create ${change.table.name}`;
    case 'drop-table':
      return `drop ${change.table.name}`;
    case 'create-index':
      return `create the index ${change.index.name}`;
  }
}

function describeAlteration(alteration: Alteration): string {
  const { added, converted, retyped, dropped, defaults, withoutDefault, nullability, foreignKeys, primaryKey } =
    alteration;
  const named = (verb: string, columns: readonly { readonly name: string }[]): readonly string[] =>
    columns.length === 0 ? [] : [`${verb} ${columns.map(({ name }) => name).join(', ')}`];
  return [
    ...named('add', added),
    ...named('convert', converted),
    ...named('retype', retyped),
    ...named('drop', dropped),
    ...named(
      'give a default to',
      defaults.filter((column) => !added.includes(column)),
    ),
    ...named(
      'drop the default of',
      withoutDefault.map((name) => ({ name })),
    ),
    ...(nullability ? ['which fields are required'] : []),
    ...(foreignKeys ? ['references'] : []),
    ...(primaryKey ? ['the primary key'] : []),
  ].join('; ');
}
