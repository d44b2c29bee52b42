import { readFileSync } from 'node:fs';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { startApi } from '../../src/start-api.ts';
import { MODEL } from '../compare/contenders.ts';
import { product } from '../compare/products.ts';

const BATCH = 1_000;

/** Imports rows of products into a database. @throws {Error} if a row is rejected */
export async function importProducts(url: string, count: number): Promise<void> {
  const { model } = loadModel({ file: MODEL, text: readFileSync(MODEL, 'utf8'), env: {} });
  await using opened = await startApi({ model, database: url });
  for (let from = 0; from < count; from += BATCH) {
    const rows = Array.from({ length: BATCH }, (_, index) => ({ ...product(from + index) }));
    const outcome = await opened.api.importRows('products', rows);
    if (outcome.kind !== 'stored') throw new Error(JSON.stringify(outcome));
  }
}
