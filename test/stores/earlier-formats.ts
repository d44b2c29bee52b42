/** Downgrades a database of either store to the format whose numbers of the log had a table of their own. */
export const OF_FORMAT_10 = `create table restwright_sequences (one integer primary key, revision bigint not null, event bigint not null);
  insert into restwright_sequences select 1, change, count from restwright_counts where resource = '';
  insert into restwright_event_blocks select block, first_at, last_at, first_id, last_id
    from restwright_counts where resource = '' and block is not null;
  delete from restwright_counts where resource = '';
  ${['block', 'first_at', 'last_at', 'first_id', 'last_id'].map((each) => `alter table restwright_counts drop column ${each};`).join('\n  ')}
  drop table restwright_block_shapes;
  create index restwright_events_shape on restwright_events (shape, sequence);
  update restwright_meta set value = '10' where name = 'format';`;
