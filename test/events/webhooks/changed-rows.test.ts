import { openSample } from '../../stores/sqlite/open-sample.ts';
import { changedRowsSuite } from './changed-rows-suite.ts';

changedRowsSuite('SQLite', (model) => openSample({}, model), 20);
