import { openSample } from '../stores/sqlite/open-sample.ts';
import { randomSubscriptionsSuite } from './random-subscriptions-suite.ts';

randomSubscriptionsSuite('SQLite', () => openSample(), { numRuns: 30, seed: 4_711 });
