import type {
  DeclaredForeignKey,
  DescribedColumn,
  DescribedTable,
  DescribedView,
  TableName,
} from '../../../introspect/database.ts';
import { isNullLiteral } from '../../../introspect/sql-tokens.ts';
import type { SqlRow } from '../../sql/dialect.ts';
import { type ColumnCondition, findConditions } from './check-conditions.ts';
import { addConditions, type DatabaseTypes, describeType, parseList } from './column-types.ts';
import { parseDefault } from './constants.ts';

/** The rows of the catalogue about one table. */
export interface RelationRows extends TableName {
  readonly comment: string | null;
  readonly columns: readonly SqlRow[];
  readonly rowCount: number | null;
  readonly isWritable: boolean;
  /** True for a table whose rows this server stores, in partitions or not. */
  readonly isStored: boolean;
  readonly indexes: readonly SqlRow[];
  readonly constraints: readonly SqlRow[];
  /** Null for a table. */
  readonly view: SqlRow | null;
}

/** Describes a table by its rows in the catalogue. Its own rows are not read. */
export function describeRelation(rows: RelationRows, types: DatabaseTypes): DescribedTable {
  const { name, schema, comment, rowCount, isWritable, isStored, indexes, constraints } = rows;
  const conditions = constraints.flatMap(({ check = null }) => (check === null ? [] : findConditions(String(check))));
  const byColumn = Map.groupBy(conditions, ({ column }) => column);
  const primary = indexes.find((key) => key['primary'] === 1);
  const listColumns = (kind: 'unique' | 'ordered'): DescribedTable['indexes'] =>
    indexes.filter((index) => index[kind] === 1).map(({ columns }) => parseList(columns));
  return {
    name,
    schema,
    columns: rows.columns.map((row) => readColumn(row, types, byColumn.get(String(row['name'])) ?? [])),
    primaryKey: parseList(primary?.['columns']),
    hasNullKeys: false,
    uniqueKeys: listColumns('unique'),
    indexes: listColumns('ordered'),
    rowCount,
    foreignKeys: constraints.filter(({ target = null }) => target !== null).map(readForeignKey),
    isWritable,
    rowNumber: null,
    // A digest reads all columns.
    hasDigests: isStored && rows.columns.every(({ grant = null }) => grant === null),
    comment,
    view: rows.view === null ? null : readView(rows.view),
  };
}

function readView({ materialized, sources, groups, repeats }: SqlRow): DescribedView {
  return {
    isMaterialized: materialized === 1,
    sources: parseList(sources),
    isGrouped: groups === 1,
    repeatsRows: repeats === 1,
  };
}

function readForeignKey({ columns, target, keys }: SqlRow): DeclaredForeignKey {
  return { columns: parseList(columns), table: String(target), keys: parseList(keys) };
}

/** A serial column is computed: its default is the next number of a sequence. */
function readColumn(row: SqlRow, types: DatabaseTypes, conditions: readonly ColumnCondition[]): DescribedColumn {
  const domain = describeType(String(row['type']), Number(row['modifier']), types);
  // Others compare values that differ as equal.
  const described = row['exact'] === 1 ? addConditions(domain, conditions) : domain;
  const { grant = null, comment = null } = row;
  const expression = row['default'] ?? domain.default;
  const isComputed = row['computed'] === 1 || String(expression).startsWith('nextval(');
  return {
    name: String(row['name']),
    type: grant === null ? described.type : { kind: 'unreadable', note: `may not be read: ${String(grant)};` },
    notNull: row['required'] === 1 || domain.notNull,
    isComputed,
    default: isComputed || expression === null ? null : parseDefault(String(expression), described.type.kind),
    hasDefault: expression !== null && !isNullLiteral(String(expression)),
    choices: described.choices,
    comment: comment === null ? null : String(comment),
  };
}
