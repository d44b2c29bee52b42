import { sqliteSource } from '../../stores/existing/source-file.ts';
import { policySuite } from './policy-suite.ts';

policySuite('SQLite', sqliteSource);
