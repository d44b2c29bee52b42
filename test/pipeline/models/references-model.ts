import type { ApiUnderTest } from '../support/api-under-test.ts';
import { create } from './shop-model.ts';

/**
 * A collection with a text field and references, each `name: resource on_delete`; `*` before the resource makes an
 * array.
 */
export function collection(name: string, references: Readonly<Record<string, string>> = {}, rest = ''): string {
  const fields = Object.entries(references).map(([field, text]) => {
    const [target = '', onDelete = 'restrict'] = text.split(' ');
    const many = target.startsWith('*');
    const reference = `x-references: { resource: ${target.replace('*', '')}, on_delete: ${onDelete}${many ? '' : `, as: ${field}_row`} }`;
    return many
      ? `        ${field}: { type: array, items: { type: string, ${reference} } }`
      : `        ${field}: { type: string, ${reference} }`;
  });
  return [
    `  ${name}:`,
    '    id: client',
    ...(rest === '' ? [] : [`    ${rest}`]),
    '    schema:',
    '      type: object',
    '      properties:',
    '        text: { type: string }',
    ...fields,
  ].join('\n');
}

/** Composes a model of these collections. */
export function composeModel(...collections: readonly string[]): string {
  return ['name: shop', 'version: 1.0.0', 'resources:', ...collections, ''].join('\n');
}

/** Creates rows from `{ 'as/1': fields }`, in order. */
export async function fill(api: ApiUnderTest, rows: Readonly<Record<string, object>>): Promise<void> {
  for (const [path, fields] of Object.entries(rows)) {
    const cut = path.lastIndexOf('/');
    await create(api, path.slice(0, cut), { id: path.slice(cut + 1), ...fields });
  }
}
