import type { Model } from '../src/model/model.ts';
import type { Store } from '../src/stores/store.ts';
import { sampleModel } from './sample-model.ts';

/** Opens an empty store for a model. */
export type OpenStore = (model: Model) => Promise<Store>;

/** Wraps a test body: opens a store of the sample model before it and closes the store after it. */
export function withStore(open: OpenStore, body: (store: Store) => Promise<void>): () => Promise<void> {
  return async () => {
    const store = await open(sampleModel());
    try {
      await body(store);
    } finally {
      await store.close();
    }
  };
}
