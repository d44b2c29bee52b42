import { randomUUID } from 'node:crypto';
import { type ApiUnderTest, apiUnderTest, type Seen } from './api-under-test.ts';
import { create, LAMP, SHOP } from '../models/shop-model.ts';

/**
 * A shop with a product, in a new shop by default. Header values can contain its `{revision}`, `{tag}` and `{variant}`.
 */
export async function taggedProduct(opened?: ApiUnderTest): Promise<{
  shop: ApiUnderTest;
  path: string;
  made: Seen;
  fill: (text: string) => string;
}> {
  const shop = opened ?? (await apiUnderTest(SHOP));
  // The number of a product is unique.
  const made = await create(shop, 'products', opened === undefined ? LAMP : { ...LAMP, sku: randomUUID() });
  const tag = made.headers.get('etag') ?? '';
  const revision = String(made.body['revision']);
  const fill = (text: string): string =>
    text
      .replaceAll('{tag}', tag)
      .replaceAll('{revision}', revision)
      .replaceAll('{variant}', tag.slice(revision.length + 2, -1));
  return { shop, path: `/api/v1/products/${made.id}`, made, fill };
}
