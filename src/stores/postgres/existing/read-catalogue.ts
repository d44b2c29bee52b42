import { isJsonObject, type Json, type JsonObject } from '../../../conventions/json/json.ts';
import type { SqlRow } from '../../sql/dialect.ts';
import type { NamedColumn, NamedTable } from '../../sql/existing/found-table.ts';
import { quoteName } from '../../sql/standard-dialect.ts';
import { CHANGES, REMOTE, updatableBits } from '../catalogue/catalogue-queries.ts';
import { arrayLiteral } from '../dialect/literals.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { postgresType, type PostgresType, type TypeRow } from './column-type.ts';

/** A table, view, materialized view, partitioned or foreign table. */
export interface CatalogueRelation {
  readonly oid: number;
  readonly schema: string;
  readonly table: string;
  /** True if its rows have the number of the transaction that wrote them. */
  readonly hasTransactions: boolean;
  /** True if each of its rows has a place in a table of this server. */
  readonly hasPlaces: boolean;
  /** True if a unique index does not cover all of its rows, because other tables inherit from it. */
  readonly hasHeirs: boolean;
  /** True if a role may use its schema. */
  readonly isReachable: boolean;
  /** True if all roles that may read columns of it may read all of them. */
  readonly isReadable: boolean;
  /** The commands that the database could run on its rows. Views have those that they are updatable for. */
  readonly changes: readonly ChangeCommand[];
  /** Those of them that a role has the right to run. */
  readonly granted: readonly ChangeCommand[];
}

/** A command that changes rows. */
export type ChangeCommand = 'insert' | 'update' | 'delete';

/** A column of a relation. */
export interface RelationColumn extends NamedColumn {
  readonly type: PostgresType;
  /** The type as it was declared: `numeric(10,2)`. */
  readonly declared: string;
  /** The schema of its type. */
  readonly typeSchema: string;
  readonly isReadable: boolean;
  /** True for the digest of a row, which the table does not have itself. */
  readonly isDigest: boolean;
}

/** A relation with its columns. */
export interface RelationTable extends NamedTable<RelationColumn>, CatalogueRelation {
  /** The columns of each unique index. */
  readonly unique: readonly (readonly string[])[];
  /** The sequences of its defaults whose next number the role may not have, as SQL names them. */
  readonly deniedSequences: readonly string[];
}

/** Parts of a relation that one statement each reads for all relations. */
type RelationParts = Pick<RelationTable, 'columns' | 'unique' | 'deniedSequences'>;

/** The roles as which rows are read and written: a JSON array of their names is the first value of a statement. */
const ROLES = `(select r.oid from pg_catalog.pg_roles as r where r.rolname in (select json_array_elements_text($1::json))) as role`;

const RELATIONS = `with recursive ${REMOTE}
select c.oid::bigint as oid, n.nspname as schema, c.relname as name, c.relkind in ('r', 'p') as transactions,
c.relkind in ('r', 'p') and c.oid not in (select oid from remote) as places,
c.relkind in ('r', 'f') and c.relhassubclass as heirs, ${updatableBits('c.oid')} as changes, rights.*
from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
cross join lateral (select bool_or(has_schema_privilege(role.oid, n.oid, 'usage')) as reachable,
  bool_and(has_table_privilege(role.oid, c.oid, 'select'))
    filter (where has_any_column_privilege(role.oid, c.oid, 'select')) as readable,
  bool_or(has_any_column_privilege(role.oid, c.oid, 'insert')) as "insert",
  bool_or(has_any_column_privilege(role.oid, c.oid, 'update')) as "update",
  bool_or(has_table_privilege(role.oid, c.oid, 'delete')) as "delete"
  from ${ROLES}) as rights
where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
order by n.nspname, c.relname`;

/** An expression: the facts of a type that {@link TypeRow} has, as JSON. @param type an alias of `pg_type` */
function describeType(type: string): string {
  const labels = `select coalesce(json_agg(label.enumlabel), '[]') from pg_catalog.pg_enum as label where label.enumtypid = ${type}.oid`;
  const members = [
    `'name', ${type}.typname`,
    `'sql', pg_catalog.format_type(${type}.oid, -1)`,
    `'isBuiltIn', ${type}.typnamespace = 'pg_catalog'::regnamespace`,
    `'type', ${type}.typtype`,
    `'labels', (${labels})`,
  ];
  return `json_build_object(${members.join(', ')})`;
}

/** The columns of relations. The type of a domain is that of its values, over any number of domains. */
const COLUMNS = `with recursive base (declared, type, required) as (
  select distinct a.atttypid, a.atttypid, false from pg_catalog.pg_attribute as a
  where a.attrelid = any($2::oid[]) and a.atttypid <> 0
  union all
  select base.declared, t.typbasetype, base.required or t.typnotnull
  from base join pg_catalog.pg_type as t on t.oid = base.type where t.typtype = 'd'
), part(declared, type) as (
  select distinct t.typelem, t.typelem from base join pg_catalog.pg_type as t on t.oid = base.type
  where t.typcategory = 'A' and t.typelem <> 0
  union all
  select part.declared, t.typbasetype from part join pg_catalog.pg_type as t on t.oid = part.type where t.typtype = 'd'
), shown(declared, required, schema, type, item) as materialized (
  select base.declared, base.required, n.nspname, ${describeType('t')},
    case when item.oid is not null then ${describeType('item')} end
  from base
  join pg_catalog.pg_type as t on t.oid = base.type and t.typtype <> 'd'
  join pg_catalog.pg_namespace as n on n.oid = t.typnamespace
  left join (part join pg_catalog.pg_type as item on item.oid = part.type and item.typtype <> 'd')
    on part.declared = t.typelem and t.typcategory = 'A'
)
select a.attrelid::bigint as relation, a.attname as name, a.attnotnull or shown.required as required, coalesce(key.place, 0) as place,
  pg_catalog.format_type(a.atttypid, a.atttypmod) as declared, shown.schema as type_schema, shown.type, shown.item,
  (select bool_or(has_column_privilege(role.oid, a.attrelid, a.attnum, 'select')) from ${ROLES}) as readable
from pg_catalog.pg_attribute as a
join shown on shown.declared = a.atttypid
left join (
  select i.indrelid, k.number, k.place
  from pg_catalog.pg_index as i, unnest(i.indkey::smallint[]) with ordinality as k(number, place)
  where i.indrelid = any($2::oid[]) and i.indisprimary and k.place <= i.indnkeyatts
) as key on key.indrelid = a.attrelid and key.number = a.attnum
where a.attrelid = any($2::oid[]) and a.attnum > 0 and not a.attisdropped
order by a.attrelid, a.attnum`;

/** The columns of the indexes of relations that prove that their rows differ. */
const UNIQUE = `select i.indrelid::bigint as relation, json_agg(a.attname) as columns
from pg_catalog.pg_index as i
cross join unnest(i.indkey::smallint[]) with ordinality as k(number, place)
join pg_catalog.pg_attribute as a on a.attrelid = i.indrelid and a.attnum = k.number
where $1::json is not null and i.indrelid = any($2::oid[]) and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null and k.place <= i.indnkeyatts
group by i.indrelid, i.indexrelid`;

/** The sequences of defaults of relations whose next number none of the roles may have. */
const SEQUENCES = `select distinct d.adrelid::bigint as relation, n.nspname as schema, s.relname as name
from pg_catalog.pg_attrdef as d
join pg_catalog.pg_depend as uses on uses.classid = 'pg_catalog.pg_attrdef'::regclass and uses.objid = d.oid
  and uses.refclassid = 'pg_catalog.pg_class'::regclass
join pg_catalog.pg_class as s on s.oid = uses.refobjid
join pg_catalog.pg_namespace as n on n.oid = s.relnamespace
where d.adrelid = any($2::oid[]) and case when s.relkind = 'S'
  then not (select bool_or(has_sequence_privilege(role.oid, s.oid, 'usage, update')) from ${ROLES}) else false end`;

/**
 * Lists the relations of a database, but for those of the system.
 *
 * @param roles the names of those whose rights are read: a relation has those that any of them has
 */
export async function listRelations(
  session: PostgresConnection,
  roles: readonly string[],
): Promise<readonly CatalogueRelation[]> {
  const { rows } = await session.query(RELATIONS, [JSON.stringify(roles)]);
  return rows.map((row) => ({
    oid: Number(row['oid']),
    schema: String(row['schema']),
    table: String(row['name']),
    hasTransactions: row['transactions'] === 1,
    hasPlaces: row['places'] === 1,
    hasHeirs: row['heirs'] === 1,
    isReachable: row['reachable'] === 1,
    isReadable: row['readable'] === 1,
    changes: listChanges((change) => (Number(row['changes']) & CHANGES[change]) !== 0),
    granted: listChanges((change) => row[change] === 1),
  }));
}

function listChanges(holds: (change: ChangeCommand) => boolean): readonly ChangeCommand[] {
  return (['insert', 'update', 'delete'] as const).filter(holds);
}

/** Reads the parts of relations. @param roles as of {@link listRelations} @returns by the number of the relation */
export async function readRelations(
  session: PostgresConnection,
  relations: readonly CatalogueRelation[],
  roles: readonly string[],
): Promise<ReadonlyMap<number, RelationParts>> {
  const values = [JSON.stringify(roles), arrayLiteral(relations.map(({ oid }) => String(oid)))];
  const read = async (text: string): Promise<ReadonlyMap<number, readonly SqlRow[]>> =>
    Map.groupBy((await session.query(text, values)).rows, (row) => Number(row['relation']));
  const [columns, unique, sequences] = [await read(COLUMNS), await read(UNIQUE), await read(SEQUENCES)];
  return new Map(
    relations.map(({ oid }) => [
      oid,
      {
        columns: (columns.get(oid) ?? []).map(readColumn),
        unique: (unique.get(oid) ?? []).map((row) => readLabels(parseColumn(row['columns']))),
        deniedSequences: (sequences.get(oid) ?? []).map((row) =>
          qualifyRelation({ schema: String(row['schema']), table: String(row['name']) }),
        ),
      },
    ]),
  );
}

function readColumn(row: SqlRow): RelationColumn {
  const item = parseColumn(row['item']);
  return {
    name: String(row['name']),
    required: row['required'] === 1,
    place: Number(row['place']),
    type: postgresType(readType(parseColumn(row['type'])), item === null ? null : readType(item)),
    declared: String(row['declared']),
    typeSchema: String(row['type_schema']),
    isReadable: row['readable'] === 1,
    isDigest: false,
  };
}

function parseColumn(json: SqlRow[string] | undefined): Json {
  return typeof json === 'string' ? JSON.parse(json) : null;
}

function readCatalogueText(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function readLabels(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(readCatalogueText) : [];
}

function readType(value: Json): TypeRow {
  const read: JsonObject = isJsonObject(value) ? value : {};
  const { name, sql, isBuiltIn, type, labels } = read;
  return {
    name: readCatalogueText(name),
    sql: readCatalogueText(sql),
    isBuiltIn: isBuiltIn === true,
    type: readCatalogueText(type),
    labels: readLabels(labels),
  };
}

/** Writes the name of a relation in SQL. */
export function qualifyRelation({ schema, table }: Pick<CatalogueRelation, 'schema' | 'table'>): string {
  return `${quoteName(schema)}.${quoteName(table)}`;
}
