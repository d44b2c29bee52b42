import { deliverySuite } from '../../../src/testing/delivery-suite.ts';
import { eventSuite } from '../../../src/testing/event-suite.ts';
import { idempotencySuite } from '../../../src/testing/idempotency-suite.ts';
import { nestedSuite } from '../../../src/testing/nested-suite.ts';
import { readSuite } from '../../../src/testing/read-suite.ts';
import { refusalSuite } from '../../../src/testing/refusal-suite.ts';
import { relatedSuite } from '../../../src/testing/related-suite.ts';
import { retentionSuite } from '../../../src/testing/retention-suite.ts';
import { tombstoneSuite } from '../../../src/testing/tombstone-suite.ts';
import { writeSuite } from '../../../src/testing/write-suite.ts';
import { openSample } from './open-postgres.ts';

// Those of the store suite that read no random rows; all of it is in postgres-store.slow.test.ts.
for (const suite of [
  readSuite,
  relatedSuite,
  nestedSuite,
  writeSuite,
  refusalSuite,
  idempotencySuite,
  eventSuite,
  deliverySuite,
  retentionSuite,
  tombstoneSuite,
]) {
  suite('PostgreSQL', (model) => openSample({}, model));
}
