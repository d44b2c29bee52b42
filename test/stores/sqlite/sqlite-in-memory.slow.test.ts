import { storeSuite } from '../../../src/testing/store-suite.ts';
import { openSample } from './open-sample.ts';

storeSuite('SQLite in memory', (model) => openSample({}, model));
