export { type OpenStore, storeSuite } from './store-suite.ts';
export type { Store } from '../src/stores/store.ts';
