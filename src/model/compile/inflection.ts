import pluralize from 'pluralize';

/** The singular of a snake_case collection name, by its last word: `order_items` gives `order_item`. */
export function singularOf(collection: string): string {
  const start = collection.lastIndexOf('_') + 1;
  return collection.slice(0, start) + pluralize.singular(collection.slice(start));
}
