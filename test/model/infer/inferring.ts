import assert from 'node:assert/strict';
import type { JsonObject } from '../../../src/conventions/json/json.ts';
import { CollectionFacts } from '../../../src/infer/collection-facts.ts';
import { inferModel } from '../../../src/infer/infer-model.ts';
import { writeModel } from '../../../src/infer/write-model.ts';

/** The rows of collections by their names in the data. */
export type Data = Readonly<Record<string, readonly JsonObject[]>>;

/** The text of the model of some data. The line of each row is its number. */
export function inferModelText(data: Data, name = 'shop'): string {
  const collections = Object.entries(data).map(([source, rows]) => {
    const facts = new CollectionFacts(source, { isAlone: Object.keys(data).length === 1 });
    for (const [index, members] of rows.entries()) facts.observe({ kind: 'object', members }, index + 1);
    return facts;
  });
  return writeModel(inferModel(name, collections, []), 'schema.json');
}

/** The text of the model of rows of CSV: null is an empty cell. */
export function csvModelText(columns: readonly string[], rows: readonly (readonly (string | null)[])[]): string {
  const facts = new CollectionFacts('rows', { isAlone: true });
  for (const [index, cells] of rows.entries()) {
    const byColumn = new Map(columns.map((column, at) => [column, cells[at] ?? null]));
    facts.observe({ kind: 'cells', cells: byColumn }, index + 2);
  }
  return writeModel(inferModel('rows', [facts], []), 'schema.json');
}

/** The declaration of one field, without its name: the rest of its line. */
export function fieldLine(text: string, field: string): string {
  const [, line] = new RegExp(`^ *${field}: (.*)$`, 'm').exec(text) ?? [];
  return line ?? assert.fail(`no field ${field} in\n${text}`);
}
