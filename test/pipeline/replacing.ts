import type { RowReader, Store } from '../../src/stores/store.ts';

/** A store some of whose operations on rows are others; everything else is its own. */
export function replacing(store: Store, operations: Partial<RowReader>): Store {
  const { rows } = store;
  return {
    ...store,
    events: store.events,
    secret: () => store.secret(),
    rows: {
      item: (plan) => rows.item(plan),
      rowStamp: (resource, id) => rows.rowStamp(resource, id),
      list: (plan) => rows.list(plan),
      lookup: (plan) => rows.lookup(plan),
      related: (plan) => rows.related(plan),
      resourceStamps: (names) => rows.resourceStamps(names),
      missingAncestor: (within) => rows.missingAncestor(within),
      missingReferences: (references) => rows.missingReferences(references),
      bookmark: (name) => rows.bookmark(name),
      find: (name, now) => rows.find(name, now),
      commit: (unit, deadline) => rows.commit(unit, deadline),
      ...operations,
    },
  };
}
