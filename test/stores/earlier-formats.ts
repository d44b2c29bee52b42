import { postgres } from '../../src/stores/postgres/dialect/postgres-dialect.ts';
import { ALLOCATORS, selectAllocated } from '../../src/stores/sql/log-numbers.ts';
import { systemTables } from '../../src/stores/sql/schema/system-upgrades.ts';

const TIMES_OF_BLOCK =
  'min(first_at) as first_at, max(last_at) as last_at, min(first_id) as first_id, max(last_id) as last_id';

/** The statement by which format 12 created the counts of resources, and the row of the log. */
const COUNTS_OF_FORMAT_12 = systemTables({ ...postgres, numbers: 'counted' }).find((statement) =>
  statement.startsWith('create table restwright_counts'),
);

/** Makes one row of those that slots have of each key. @param values the other columns of a table */
function withoutSlots(table: string, key: string, values: readonly string[]): string {
  return `create temporary table merged as select ${[key, ...values].join(', ')} from ${table} group by ${key};
  delete from ${table};
  alter table ${table} drop column slot;
  alter table ${table} add primary key (${key});
  insert into ${table} select * from merged;
  drop table merged;`;
}

/** Downgrades a schema to the format whose numbers are counted. Stamps become the last revision. */
export const POSTGRES_OF_FORMAT_12 = `${COUNTS_OF_FORMAT_12};
  insert into restwright_counts (resource, count, change)
    select resource, sum(count), ${selectAllocated(ALLOCATORS.revision)} from restwright_totals group by resource;
  insert into restwright_counts (resource, count, change)
    values ('', ${selectAllocated(ALLOCATORS.sequence)}, ${selectAllocated(ALLOCATORS.revision)});
  update restwright_counts set (block, first_at, last_at, first_id, last_id) =
    (select block, ${TIMES_OF_BLOCK} from restwright_slots where block = (select max(block) from restwright_slots) group by block)
    where resource = '';
  insert into restwright_event_blocks (block, first_at, last_at, first_id, last_id, slot)
    select block, first_at, last_at, first_id, last_id, 100 + slot from restwright_slots
    where block < (select max(block) from restwright_slots);
  ${withoutSlots('restwright_event_blocks', 'block', [TIMES_OF_BLOCK])}
  ${withoutSlots('restwright_block_shapes', 'block, shape', [])}
  ${withoutSlots('restwright_partitions', 'resource, field, value', [`(select max(change) from restwright_counts) as change`])}
  drop table restwright_slots, restwright_totals;
  drop sequence ${Object.values(ALLOCATORS).join(', ')};
  update restwright_meta set value = '12' where name = 'format';`;

/** Downgrades a database of format 12 of either store to the format whose numbers had a table of their own. */
export const OF_FORMAT_10 = `create table restwright_sequences (one integer primary key, revision bigint not null, event bigint not null);
  insert into restwright_sequences select 1, change, count from restwright_counts where resource = '';
  insert into restwright_event_blocks select block, first_at, last_at, first_id, last_id
    from restwright_counts where resource = '' and block is not null;
  delete from restwright_counts where resource = '';
  ${['block', 'first_at', 'last_at', 'first_id', 'last_id'].map((each) => `alter table restwright_counts drop column ${each};`).join('\n  ')}
  drop table restwright_block_shapes;
  create index restwright_events_shape on restwright_events (shape, sequence);
  update restwright_meta set value = '10' where name = 'format';`;

const TIMES = ['created_at integer not null', 'updated_at integer not null', 'revision integer not null'];
const BELOW = '"webhook_id" text not null references "webhooks" ("id")';

/** The definitions of the columns of the webhook tables of format 11 on SQLite. */
const TABLES_OF_FORMAT_11: Readonly<Record<string, readonly string[]>> = {
  webhooks: [
    'url text not null',
    'event_types text not null',
    'format text',
    'status text',
    'disabled_reason text',
    'ordered integer',
    'filter text',
    'version text',
    'description text',
    'owner text',
    'creator text',
    'claims text',
    'key_id text',
    'failing_since integer',
    'start integer',
    'secret text',
  ],
  webhook_secrets: [BELOW, 'secret text'],
  webhook_deliveries: [
    BELOW,
    'event_id text',
    'type text',
    'sequence text',
    'status text',
    'attempts text not null',
    'next_attempt_at integer',
    'replay_id text',
  ],
  webhook_replays: [
    BELOW,
    '"from" integer not null',
    '"to" integer not null',
    'status text',
    '"after" integer',
    'last integer',
  ],
};

const INDEXES_OF_FORMAT_11 = `
  create index "webhook_deliveries (created_at, id)" on webhook_deliveries (created_at, id);
  create index "webhook_deliveries (webhook_id, created_at desc, id desc)" on webhook_deliveries (webhook_id, created_at desc, id desc);
  create index "webhook_deliveries (event_id, id)" on webhook_deliveries (event_id, id);
  create index "webhook_deliveries (status, created_at, id)" on webhook_deliveries (status, created_at, id);
  create index "webhook_replays (status, id)" on webhook_replays (status, id);`;

const META_OF_FORMAT_11 = `update restwright_meta set value = '11' where name = 'format';
  update restwright_meta set value = replace(replace(value, '"uuid"', '"text"'),
    '"list(at,duration,status_code,response,error)"', '"array"') where name = 'storage';`;

function textOfBytes(column: string): string {
  const digits = `lower(hex(${column}))`;
  const parts = ['1, 8', '9, 4', '13, 4', '17, 4', '21, 12'].map((part) => `substr(${digits}, ${part})`);
  return `case when ${column} is not null then ${parts.join(" || '-' || ")} end`;
}

function stored(definition: string): string {
  const [name = ''] = definition.split(' ');
  if (/^"?(id|webhook_id|event_id)/.test(name)) return textOfBytes(name);
  if (name !== 'attempts') return name;
  const at = `strftime('%Y-%m-%dT%H:%M:%fZ', (value ->> 0) / 1000.0, 'unixepoch')`;
  const others = ['duration', 'status_code', 'response', 'error'].map(
    (member, place) => `'${member}', value -> ${place + 1}`,
  );
  return `(select json_group_array(json_object('at', ${at}, ${others.join(', ')})) from json_each(attempts))`;
}

/** Downgrades a SQLite database with webhooks to the format whose ids were texts, and whose attempts were objects. */
export const SQLITE_OF_FORMAT_11 = `pragma foreign_keys = off;
  ${Object.entries(TABLES_OF_FORMAT_11)
    .map(([name, columns]) => {
      const all = ['"id" text not null', ...columns, ...TIMES];
      return `create table restwright_rebuilt (${all.join(', ')}, primary key ("id")) strict;
  insert into restwright_rebuilt select ${all.map(stored).join(', ')} from ${name};
  drop table ${name}; alter table restwright_rebuilt rename to ${name};`;
    })
    .join('\n  ')}
  ${INDEXES_OF_FORMAT_11} ${META_OF_FORMAT_11}`;

const CHILDREN = Object.keys(TABLES_OF_FORMAT_11).filter((name) => name !== 'webhooks');

/** Downgrades a schema with webhooks to that format. */
export const POSTGRES_OF_FORMAT_11 = `${POSTGRES_OF_FORMAT_12}
  ${CHILDREN.map((name) => `alter table ${name} drop constraint ${name}_webhook_id_fkey;`).join('\n  ')}
  alter table webhooks alter column id type text collate "C" using id::text;
  ${CHILDREN.map(
    (name) => `alter table ${name} alter column id type text collate "C" using id::text,
    alter column webhook_id type text collate "C" using webhook_id::text;
  alter table ${name} add foreign key (webhook_id) references webhooks (id);`,
  ).join('\n  ')}
  alter table webhook_deliveries alter column event_id type text collate "C" using event_id::text;
  update webhook_deliveries set attempts = (select coalesce(json_agg(json_build_object(
    'at', to_char(timestamp 'epoch' + (value ->> 0)::bigint * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'duration', value -> 1, 'status_code', value -> 2, 'response', value -> 3, 'error', value -> 4))::text, '[]')
    from json_array_elements(attempts::json) as item(value));
  create index "webhook_deliveries (created_at, id)" on webhook_deliveries (created_at asc nulls first, id);
  ${META_OF_FORMAT_11}`;
