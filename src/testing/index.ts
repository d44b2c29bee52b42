export { type OpenStore, storeSuite } from './store-suite.ts';
export type { Store } from '../stores/store.ts';
