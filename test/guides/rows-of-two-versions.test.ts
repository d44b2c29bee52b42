import { guideSuite } from './rows-of-two-versions.ts';

await guideSuite(3_000);
