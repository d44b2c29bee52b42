import type { Dialect, SqlValue, Statement } from './dialect.ts';

/** A statement whose text depends on the dialect alone. */
export type Prepare = (...values: SqlValue[]) => Statement;

/** Writes the placeholders of the dialect in place of each `?` of a text. */
export function prepareStatement({ placeholder }: Dialect, text: string): Prepare {
  let position = 0;
  const dialectText = text.replaceAll('?', () => placeholder(++position));
  return (...values) => ({ text: dialectText, values });
}

/** The end of a query of rows that a statement deletes: it leaves out those that other transactions delete. */
export function unlockedRows({ numbers }: Pick<Dialect, 'numbers'>): string {
  return numbers === 'counted' ? '' : ' for update skip locked';
}
