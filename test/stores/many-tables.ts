import { loadModel } from '../../src/model/compile/load-model.ts';
import type { Model } from '../../src/model/model.ts';

/** A model with so many tables of rows, and one of links for each: all with indexes, unique fields and references. */
export function manyTables(tables: number): Model {
  const resources = Array.from({ length: tables }, (_, index) => {
    const properties = {
      name: { type: 'string', maxLength: 50 },
      code: { type: 'string', 'x-unique': true },
      before_id: { type: 'string', 'x-references': `t${Math.max(index - 1, 0)}s` },
      peer_ids: { type: 'array', items: { type: 'string', 'x-references': `t${index}s` } },
    };
    return [`t${index}s`, { schema: { type: 'object', properties }, indexes: ['name'], search: ['name'] }];
  });
  return loadModel({ text: JSON.stringify({ name: 'large', resources: Object.fromEntries(resources) }) }).model;
}
