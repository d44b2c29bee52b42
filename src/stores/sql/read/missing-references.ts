import { keyIds } from '../../../plan/row-address.ts';
import { EVERYTHING, type ReferencedRow, type Visibility } from '../../../plan/plan.ts';
import { visibleConditions } from '../../../plan/visibility.ts';
import { BindParameters, type SqlRow, type Statement } from '../dialect.ts';
import type { Table, Tables } from '../tables.ts';
import { conditionContext } from './condition-context.ts';
import { filterConditions } from './conditions.ts';
import { compileFilter } from './filter.ts';
import { typedKeyRows } from './key-rows.ts';

/** The most keys of one statement: a body has thousands of references, and others wait while a statement runs. */
const BLOCK = 512;

/** References to rows of one resource, and the statement that reads the positions of those that lead to no row. */
export interface ReferenceBlock<R> {
  readonly statement: Statement;
  /** The references with each key, by its position. */
  readonly references: readonly (readonly R[])[];
}

/** Distinct keys of rows of one table with one visibility, each with its references. */
interface KeyGroup<R> {
  readonly table: Table;
  readonly visible: Visibility;
  readonly keys: Map<string, { readonly ids: readonly string[]; readonly references: R[] }>;
}

/** Divides references into blocks of distinct rows, with one statement each. */
export function missingReferenceBlocks<R extends ReferencedRow & { readonly visible?: Visibility }>(
  tables: Tables,
  references: readonly R[],
): readonly ReferenceBlock<R>[] {
  return groupByTable(tables, references).flatMap((group) => {
    const keys = [...group.keys.values()];
    return divide(keys).map((block) => ({
      statement: missingKeysStatement(
        tables,
        group,
        block.map(({ ids }) => ids),
      ),
      references: block.map((key) => key.references),
    }));
  });
}

/** Selects the references of a block that lead to no row. @param rows of its statement */
export function missingOfBlock<R>({ references }: ReferenceBlock<R>, rows: readonly SqlRow[]): readonly R[] {
  return rows.flatMap((row) => references[Number(row['position'])] ?? []);
}

function groupByTable<R extends ReferencedRow & { readonly visible?: Visibility }>(
  tables: Tables,
  references: readonly R[],
): readonly KeyGroup<R>[] {
  const groups: KeyGroup<R>[] = [];
  for (const reference of references) {
    const { resource, visible = EVERYTHING } = reference;
    const table = tables.of(resource);
    let group = groups.find((each) => each.table === table && each.visible === visible);
    if (group === undefined) {
      group = { table, visible, keys: new Map() };
      groups.push(group);
    }
    const ids = keyIds(table.resource, reference);
    const name = JSON.stringify(ids);
    const known = group.keys.get(name);
    if (known === undefined) group.keys.set(name, { ids, references: [reference] });
    else known.references.push(reference);
  }
  return groups;
}

function divide<T>(items: readonly T[]): readonly (readonly T[])[] {
  const count = Math.ceil(items.length / BLOCK);
  return Array.from({ length: count }, (_, index) => items.slice(index * BLOCK, (index + 1) * BLOCK));
}

/** Reads the positions of the keys that no visible row has. The text does not depend on their number. */
function missingKeysStatement(
  tables: Tables,
  { table, visible }: Pick<KeyGroup<unknown>, 'table' | 'visible'>,
  keys: readonly (readonly string[])[],
): Statement {
  const { dialect } = tables;
  const parameters = new BindParameters(dialect);
  const encoded = keys.map((key) => table.encodeKey(key));
  const { source, position, ids } = typedKeyRows(table, encoded, 'one id', parameters);
  const conditions = [
    ...table.key.map((name, index) => `${table.column(name)} = ${ids[index]}`),
    ...filterConditions(
      conditionContext(tables, table, parameters),
      compileFilter(table, [], visibleConditions(visible)),
    ),
  ];
  const exists = `select 1 from ${table.source} where ${conditions.join(' and ')}`;
  const text = `select ${position} as ${dialect.quote('position')} from ${source} where not exists (${exists})`;
  return { text, values: parameters.values };
}
