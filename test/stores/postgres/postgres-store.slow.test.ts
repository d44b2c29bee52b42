import { storeSuite } from '../../../src/testing/store-suite.ts';
import { openSample } from './open-postgres.ts';

storeSuite('PostgreSQL', (model) => openSample({}, model));
