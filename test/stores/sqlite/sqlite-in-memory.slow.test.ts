import { storeSuite } from '../../../store-suite/store-suite.ts';
import { openSample } from './open-sample.ts';

storeSuite('SQLite in memory', (model) => openSample({}, model));
