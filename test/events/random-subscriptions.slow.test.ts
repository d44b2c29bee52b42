import { openSample } from '../stores/postgres/open-postgres.ts';
import { randomSubscriptionsSuite } from './random-subscriptions-suite.ts';

randomSubscriptionsSuite('PostgreSQL', () => openSample(), { numRuns: 10, seed: 4_712 });
