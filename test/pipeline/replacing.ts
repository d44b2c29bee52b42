import type { Resources, Store } from '../../src/stores/store.ts';

/** A store some of whose operations on rows are others; everything else is its own. */
export function replacing(store: Store, operations: Partial<Resources>): Store {
  const { resources } = store;
  return {
    ...store,
    events: store.events,
    secret: () => store.secret(),
    resources: {
      item: (plan) => resources.item(plan),
      changeOf: (resource, id) => resources.changeOf(resource, id),
      list: (plan) => resources.list(plan),
      lookup: (plan) => resources.lookup(plan),
      related: (plan) => resources.related(plan),
      changes: (names) => resources.changes(names),
      missingAncestor: (within) => resources.missingAncestor(within),
      missingReferences: (references) => resources.missingReferences(references),
      bookmark: (name) => resources.bookmark(name),
      remembered: (name, now) => resources.remembered(name, now),
      write: (unit, deadline) => resources.write(unit, deadline),
      ...operations,
    },
  };
}
