import { eventSuite } from '../../../store-suite/event-suite.ts';
import { readSuite } from '../../../store-suite/read-suite.ts';
import { recordedSuite } from '../../../store-suite/recorded-suite.ts';
import { refusalSuite } from '../../../store-suite/refusal-suite.ts';
import { writeSuite } from '../../../store-suite/write-suite.ts';
import { openSample } from './open-postgres.ts';

// The part of the store suite that takes the least time; all of it is in postgres-store.slow.test.ts.
for (const suite of [readSuite, writeSuite, refusalSuite, eventSuite, recordedSuite]) {
  suite('PostgreSQL', (model) => openSample({}, model));
}
