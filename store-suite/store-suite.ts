import { deliverySuite } from './delivery-suite.ts';
import { eventSuite } from './event-suite.ts';
import { filterSuite } from './filter-suite.ts';
import { idempotencySuite } from './idempotency-suite.ts';
import type { OpenStore } from './open-store.ts';
import { logQuerySuite } from './log-query-suite.ts';
import { nestedSuite } from './nested-suite.ts';
import { recordedSuite } from './recorded-suite.ts';
import { readSuite } from './read-suite.ts';
import { relationFilterSuite } from './relation-filter-suite.ts';
import { refusalSuite } from './refusal-suite.ts';
import { relatedSuite } from './related-suite.ts';
import { retentionSuite } from './retention-suite.ts';
import { searchSuite } from './search-suite.ts';
import { paginationSuite } from './pagination-suite.ts';
import { tombstoneSuite } from './tombstone-suite.ts';
import { visibilitySuite } from './visibility-suite.ts';
import { writeSuite } from './write-suite.ts';

export type { OpenStore } from './open-store.ts';

/**
 * Registers the tests of the store contract with `node:test`. Every store must pass them.
 *
 * @param name name of the store in test titles
 * @param open opens a new, empty database on each call; the suite closes the store
 *
 * @example
 * ```ts
 * storeSuite('my store', (model) => openMyStore(model));
 * ```
 */
export function storeSuite(name: string, open: OpenStore): void {
  sizedStoreSuite(name, open, Infinity);
}

/** Registers the tests of the store contract with fewer random cases. @param seeds at most so many of each suite */
export function sizedStoreSuite(name: string, open: OpenStore, seeds: number): void {
  readSuite(name, open);
  filterSuite(name, open);
  paginationSuite(name, open, seeds);
  searchSuite(name, open, seeds);
  relatedSuite(name, open);
  relationFilterSuite(name, open, seeds);
  visibilitySuite(name, open, seeds);
  nestedSuite(name, open);
  writeSuite(name, open);
  refusalSuite(name, open);
  idempotencySuite(name, open);
  eventSuite(name, open);
  recordedSuite(name, open);
  logQuerySuite(name, open);
  deliverySuite(name, open);
  retentionSuite(name, open);
  tombstoneSuite(name, open);
}
