import { quoteName } from '../../sql/standard-dialect.ts';
import { qualifyRelation, type CatalogueRelation } from '../existing/read-catalogue.ts';
import { FOREIGN_CHANGES } from '../schema/introspection.ts';
import { OWN_SCHEMA } from '../existing/writable-tables.ts';

/** The qualified name of the table of changes that are not in the log yet. */
export const QUEUE = `${OWN_SCHEMA}.${FOREIGN_CHANGES}`;

/** The qualified name of the function of all triggers. */
export const RECORD_CHANGE = `${OWN_SCHEMA}.restwright_record_change`;

/** A parameter of a transaction: the number of the table in which the server is about to write one row. */
export const OWN_WRITE = 'restwright.own';

/** A trigger, as `pg_trigger` has it. */
export interface TriggerForm {
  readonly name: string;
  /** The bits of its level, its time and its commands. */
  readonly type: number;
  readonly fires: string;
}

/** The triggers of an adopted table. Neither has a condition, a list of columns or arguments. */
export const TRIGGERS: readonly TriggerForm[] = [
  { name: 'restwright_changes', type: 29, fires: 'after insert or update or delete on TABLE for each row' },
  { name: 'restwright_truncate', type: 32, fires: 'after truncate on TABLE for each statement' },
];

/** Creates the table of changes. Numbers of one row ascend: it is locked while one is assigned. */
export const CREATE_QUEUE = `create table ${QUEUE} (
  number bigint generated always as identity primary key,
  resource_table regclass not null,
  command "char" not null,
  before jsonb,
  after jsonb,
  plan jsonb,
  at timestamptz not null default clock_timestamp(),
  transaction xid8 not null default pg_current_xact_id()
)`;

/**
 * The body of the function. Partitions record for their root. A row that the server writes itself has no entry: its
 * event has a caller. Rows that the database changes with it have theirs.
 */
const BODY = `
declare
  root oid := coalesce(pg_partition_root(tg_relid)::oid, tg_relid);
begin
  if tg_op = 'TRUNCATE' then
    insert into ${QUEUE} (resource_table, command) values (root, 'T');
  elsif pg_trigger_depth() = 1 and current_setting('${OWN_WRITE}', true) = root::text then
    perform set_config('${OWN_WRITE}', '', true);
  elsif tg_op = 'INSERT' then
    insert into ${QUEUE} (resource_table, command, after) values (root, 'I', to_jsonb(new));
  elsif tg_op = 'DELETE' then
    insert into ${QUEUE} (resource_table, command, before) values (root, 'D', to_jsonb(old));
  elsif old *<> new then
    insert into ${QUEUE} (resource_table, command, before, after) values (root, 'U', to_jsonb(old), to_jsonb(new));
  end if;
  return null;
end
`;

/** Forms of values that do not depend on the session of the other program. */
const FORMS = `set search_path = pg_catalog, pg_temp set datestyle = 'ISO, YMD' set intervalstyle = 'iso_8601' set extra_float_digits = 1`;

/** Creates the function, with the rights of its owner for all who write. Others cannot make triggers of it. */
export const CREATE_FUNCTION: readonly string[] = [
  `create or replace function ${RECORD_CHANGE}() returns trigger language plpgsql security definer
${FORMS} as $record$${BODY}$record$`,
  `revoke all on function ${RECORD_CHANGE}() from public`,
];

/** A condition of `pg_proc`: the function is that of this version. */
export const IS_CURRENT = `prosrc = $record$${BODY}$record$`;

/** The statements that create a trigger which fires in every session, also in those that replicate. */
export function createTrigger({ name, fires }: TriggerForm, table: AdoptedRelation): readonly string[] {
  const qualified = qualifyRelation(table);
  return [
    `create trigger ${name} ${fires.replace('TABLE', () => qualified)} execute function ${RECORD_CHANGE}()`,
    enableTrigger({ name }, table),
  ];
}

/** The statement that makes a trigger fire in every session. */
export function enableTrigger({ name }: Pick<TriggerForm, 'name'>, table: AdoptedRelation): string {
  return `alter table ${qualifyRelation(table)} enable always trigger ${quoteName(name)}`;
}

/** The name of a table. */
export type AdoptedRelation = Pick<CatalogueRelation, 'schema' | 'table'>;
