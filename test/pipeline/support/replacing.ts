import type { ChangeStamps, IdempotencyRecords, RowReader, Store, Writer } from '../../../src/stores/store.ts';

/** Operations of a store that tests can replace. */
type Operations = RowReader & ChangeStamps & IdempotencyRecords & Pick<Writer, 'commit'>;

/** A store with some operations replaced. */
export function replacing(store: Store, operations: Partial<Operations>): Store {
  const { rows, writes, idempotencyRecords, stamps } = store;
  const all: Operations = {
    item: (plan) => rows.item(plan),
    wasVisible: (plan) => rows.wasVisible(plan),
    list: (plan) => rows.list(plan),
    lookup: (plan) => rows.lookup(plan),
    related: (plan) => rows.related(plan),
    missingAncestor: (within) => rows.missingAncestor(within),
    missingReferences: (references) => rows.missingReferences(references),
    rowStamp: (resource, id) => stamps.rowStamp(resource, id),
    knownRowStamp: (resource, id) => stamps.knownRowStamp(resource, id),
    rowStampAhead: (resource, id) => stamps.rowStampAhead(resource, id),
    resourceStamps: (names) => stamps.resourceStamps(names),
    partitionStamp: (resource, partition) => stamps.partitionStamp(resource, partition),
    settledRevision: () => stamps.settledRevision(),
    find: (name, now) => idempotencyRecords.find(name, now),
    commit: (unit, deadline) => writes.commit(unit, deadline),
    ...operations,
  };
  return {
    ...store,
    events: store.events,
    secret: () => store.secret(),
    rows: all,
    stamps: all,
    idempotencyRecords: all,
    writes: {
      commit: all.commit,
      get pending() {
        return writes.pending;
      },
    },
  };
}
