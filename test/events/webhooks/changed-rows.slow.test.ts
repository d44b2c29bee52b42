import { openSample } from '../../stores/postgres/open-postgres.ts';
import { changedRowsSuite } from './changed-rows-suite.ts';

changedRowsSuite('PostgreSQL', (model) => openSample({}, model), 10);
