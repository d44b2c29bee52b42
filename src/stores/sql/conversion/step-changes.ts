import type { StoredRowChange } from '../../../versions/row-changes.ts';
import type { SchemaChange } from '../schema/schema-changes.ts';

/**
 * The changes of `versions` that a change of a table makes, as a member of its step; none for one that has none.
 *
 * @param changes those that the migration makes, of all resources
 */
export function stepChanges(
  change: SchemaChange,
  changes: readonly StoredRowChange[],
): { readonly changes?: readonly StoredRowChange[] } {
  const found = changes.filter((each) => isMadeBy(each, change));
  return found.length === 0 ? {} : { changes: found };
}

function isMadeBy({ resource, effect, change: kind, columns }: StoredRowChange, change: SchemaChange): boolean {
  switch (change.kind) {
    case 'rename-column':
      return effect === 'renames' && resource === change.table && columns.includes(change.to);
    case 'rename-table':
      return kind === 'names' && resource === change.to;
    case 'create-table':
      return kind === 'absent' && resource === change.table.name;
    case 'alter-table': {
      const { after, added } = change.alteration;
      return effect === 'adds' && resource === after.name && added.some(({ name }) => columns.includes(name));
    }
    case 'drop-index':
    case 'drop-table':
    case 'create-index':
      return false;
  }
}
