import { guideSuite } from './rows-of-two-versions.ts';

await guideSuite(100_000);
