import { eventSuite } from '../../../src/testing/event-suite.ts';
import { readSuite } from '../../../src/testing/read-suite.ts';
import { recordedSuite } from '../../../src/testing/recorded-suite.ts';
import { refusalSuite } from '../../../src/testing/refusal-suite.ts';
import { writeSuite } from '../../../src/testing/write-suite.ts';
import { openSample } from './open-postgres.ts';

// The part of the store suite that takes the least time; all of it is in postgres-store.slow.test.ts.
for (const suite of [readSuite, writeSuite, refusalSuite, eventSuite, recordedSuite]) {
  suite('PostgreSQL', (model) => openSample({}, model));
}
