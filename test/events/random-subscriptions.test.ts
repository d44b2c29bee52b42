import { openSample } from '../stores/sqlite/open-sample.ts';
import { randomSubscriptionsSuite } from './random-subscriptions-suite.ts';
import { runs } from '../extent.ts';

randomSubscriptionsSuite('SQLite', () => openSample(), { numRuns: runs(5, 60), seed: 4_711 });
