import { storeSuite } from '../../../store-suite/store-suite.ts';
import { openSample } from './open-postgres.ts';

storeSuite('PostgreSQL', (model) => openSample({}, model));
