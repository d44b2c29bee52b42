/** The body of a product. */
export interface Product {
  readonly sku: string;
  readonly name: string;
  readonly price: number;
  readonly category: string;
  readonly stock: number;
  readonly status: 'DRAFT' | 'ACTIVE' | 'CLOSED';
  readonly description: string;
}

export const CATEGORIES: readonly string[] = Array.from({ length: 20 }, (_, index) => `category-${index}`);
export const HIGHEST_PRICE = 1_000;

/** Returns the product with this number, always the same. */
export function product(index: number): Product {
  return {
    sku: `SKU-${String(index).padStart(8, '0')}`,
    name: `Product ${index}`,
    price: ((index * 7919) % (HIGHEST_PRICE * 100)) / 100,
    category: CATEGORIES[index % CATEGORIES.length] ?? '',
    stock: index % 97,
    status: (['DRAFT', 'ACTIVE', 'CLOSED'] as const)[index % 3] ?? 'DRAFT',
    description: `A product of the number ${index}, described in one sentence of a usual length.`,
  };
}
