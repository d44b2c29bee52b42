import { selectNames } from '../schema/introspection.ts';

/** True if the role may not read the primary key of a table. */
const HAS_HIDDEN_KEY = `exists (select from pg_index cross join unnest(indkey::int2[]) as part(number)
  where indrelid = relation.oid and indisprimary and not has_column_privilege(indrelid, part.number, 'select'))`;

/** The bits of `pg_relation_is_updatable`. */
export const CHANGES = { insert: 8, update: 4, delete: 16 } as const;

/**
 * An expression: the commands that the database can run on the rows of a relation, as bits. A rule may replace one by
 * commands that do not return the row.
 *
 * @param relation the expression of its id
 */
export function updatableBits(relation: string): string {
  return `(pg_relation_is_updatable(${relation}, true) & ~coalesce((select bit_or(case rule.ev_type
    when '2' then ${CHANGES.update} when '3' then ${CHANGES.insert} when '4' then ${CHANGES.delete} else 0 end)
  from pg_catalog.pg_rewrite as rule where rule.ev_class = ${relation} and rule.is_instead and rule.ev_type <> '1'
    and pg_get_ruledef(rule.oid) !~* '\\mreturning\\M'), 0))`;
}

/** An expression: true for a relation whose rows can be inserted, updated and deleted. */
const isWritable = (relation: string): string => `${updatableBits(relation)} = 28`;

/** A common table: those with rows of foreign tables, as partitions or heirs, which have no place of their own. */
export const REMOTE = `remote(oid) as (
  select inhparent from pg_catalog.pg_inherits join pg_catalog.pg_class as part on part.oid = inhrelid where part.relkind = 'f'
  union select inhparent from pg_catalog.pg_inherits join remote on inhrelid = remote.oid)`;

/**
 * All tables and views, but for partitions and temporary tables. Those of the schema in the parameter come first. An
 * empty `grant` is no missing right.
 */
export const ENTRIES = `with recursive ${REMOTE}
select relation.oid as id, nspname as schema, relname as name, relkind in ('v', 'm') as view, relkind in ('r', 'p') and relation.oid not in (select oid from remote) as stored,
  case when relkind in ('r', 'p', 'm') and reltuples >= 0 then reltuples::float8 end as rows,
  obj_description(relation.oid, 'pg_class') as comment, ${isWritable('relation.oid')} as writable,
  starts_with(nspname, 'pg_') or nspname = 'information_schema' as system,
  exists (select from pg_depend where classid = 'pg_class'::regclass and objid = relation.oid and deptype = 'e') as extension,
  concat_ws('; ',
    case when not has_schema_privilege(namespace.oid, 'usage')
      then format('grant usage on schema %I to %I', nspname, current_user) end,
    case when not has_any_column_privilege(relation.oid, 'select') or ${HAS_HIDDEN_KEY}
      then format('grant select on %I.%I to %I', nspname, relname, current_user) end) as "grant"
from pg_class as relation join pg_namespace as namespace on namespace.oid = relnamespace
where relkind in ('r', 'p', 'v', 'm', 'f') and not relispartition and nspname !~ '^pg_(?:toast|temp)'
order by nspname <> $1, nspname, relname`;

/** The condition on the tables that are described, by their ids. */
const describes = (column: string): string => `${column} = any($1::oid[])`;

/** One statement each for all tables. A view may be written, but for its columns of expressions. */
export const COLUMNS = `select attrelid as "table", attname as name, atttypid as type, atttypmod as modifier,
  attnotnull as required, attgenerated <> '' or attidentity <> '' or relkind = 'v' and ${isWritable('attrelid')}
    and not pg_column_is_updatable(attrelid, attnum, true) as computed,
  pg_get_expr(adbin, adrelid) as "default", description as comment, collisdeterministic is not false as exact,
  case when not has_column_privilege(attrelid, attnum, 'select')
    then format('grant select (%I) on %I.%I to %I', attname, nspname, relname, current_user) end as "grant"
from pg_attribute join pg_class as relation on relation.oid = attrelid
join pg_namespace as namespace on namespace.oid = relnamespace
left join pg_attrdef on adrelid = attrelid and adnum = attnum
left join pg_collation on pg_collation.oid = attcollation
left join pg_description on classoid = 'pg_class'::regclass and objoid = attrelid and objsubid = attnum
where ${describes('attrelid')} and attnum > 0 and not attisdropped order by attrelid, attnum`;

const ITEM = `case when typsubscript = 'array_subscript_handler'::regproc then typelem else 0 end`;

/** The types of all columns, with those that domains and arrays consist of. */
export const TYPES = `with recursive used(id) as (
  select atttypid from pg_attribute where ${describes('attrelid')} and attnum > 0 and not attisdropped
  union select part.id from used join pg_type on pg_type.oid = used.id
    cross join lateral (values (typbasetype), (${ITEM})) as part(id) where part.id <> 0)
select pg_type.oid as id, typname as name, format_type(pg_type.oid, null) as shown, typtype as kind,
  typcategory as category, typbasetype as base, typtypmod as modifier, typnotnull as required, typdefault as "default",
  ${ITEM} as item,
  (select json_agg(enumlabel order by enumsortorder)::text from pg_enum where enumtypid = pg_type.oid) as labels,
  (select json_agg(pg_get_expr(conbin, 0, true) order by conname)::text from pg_constraint
    where contypid = pg_type.oid and contype = 'c' and convalidated) as checks
from used join pg_type on pg_type.oid = used.id`;

/** True for an index with the order of its columns, in one direction. */
const IS_ORDERED = `relam = (select oid from pg_am where amname = 'btree')
  and not exists (select from unnest(indclass::oid[]) as class(id) join pg_opclass on oid = class.id where not opcdefault)
  and (select count(distinct direction & 1) = 1 from unnest(indoption::int2[]) as option(direction))`;

/** Primary keys, and indexes on columns of all rows. */
export const INDEXES = `select indrelid as "table", indisprimary as "primary", indisunique as "unique", ${IS_ORDERED} as ordered,
  ${selectNames('indrelid', '(indkey::int2[])[0:indnkeyatts - 1]')} as columns
from pg_index join pg_class as relation on relation.oid = indexrelid
where ${describes('indrelid')} and indisvalid and indpred is null and indexprs is null
order by indrelid, indexrelid`;

/** Foreign keys, and checks that all rows satisfy. A reference to a partitioned table has another key for each part. */
export const CONSTRAINTS = `select conrelid as "table", pg_get_expr(conbin, conrelid, true) as "check",
  ${selectNames('conrelid', 'conkey')} as columns, ${selectNames('confrelid', 'confkey')} as keys,
  (select concat(nspname, '.', relname) from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where pg_class.oid = confrelid) as target
from pg_constraint
where ${describes('conrelid')} and (contype = 'f' and conparentid = 0 or contype = 'c' and convalidated)
order by conrelid, conname`;

/** Parts of the query of a view that may repeat rows: functions that return sets, and unions. */
const REPEATS = ':hasTargetSRFs true|:setOperations \\{|:rtekind 3 ';
/** Parts that make one row of several. */
const GROUPS = ':groupClause \\(|:distinctClause \\(|:hasAggs true';

/** Views, with the tables that their queries read. The queries are searched as the server stores them, parsed. */
export const VIEWS = `select ev_class as "table", relkind = 'm' and relispopulated as materialized,
  ev_action::text ~ '${REPEATS}' as repeats, ev_action::text ~ '${GROUPS}' as groups,
  (select json_agg(distinct concat(nspname, '.', read.relname))::text from pg_depend
    join pg_class as read on read.oid = refobjid join pg_namespace on pg_namespace.oid = read.relnamespace
    where classid = 'pg_rewrite'::regclass and objid = pg_rewrite.oid and refclassid = 'pg_class'::regclass
      and refobjid <> ev_class) as sources
from pg_rewrite join pg_class as relation on relation.oid = ev_class
where ${describes('ev_class')} and ev_type = '1' and relkind in ('v', 'm')`;
