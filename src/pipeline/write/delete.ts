import { beforeDelete } from './hooks.ts';
import { findRow } from '../read/item.ts';
import { cascadePlans } from './cascade.ts';
import type { Surroundings } from '../surroundings.ts';
import { checkPreconditions, type ItemTarget, type WriteOperation, originOf, type PreparedWrite } from './write.ts';

/** DELETE (MET-4). */
export function deleteOperation(target: ItemTarget): WriteOperation {
  return {
    ...target,
    takesBody: false,
    precheck: async (surroundings) => checkPreconditions(target, await find(target, surroundings)),
    prepare: (_body, _first, surroundings) => prepareRemoval(target, surroundings),
  };
}

async function prepareRemoval(target: ItemTarget, surroundings: Surroundings): Promise<PreparedWrite> {
  const { request, compiled, within } = target;
  const { resource } = compiled;
  const row = await find(target, surroundings);
  checkPreconditions(target, row);
  const { plans, removed } = await cascadePlans(resource, row, within, originOf(request, surroundings), surroundings);
  for (const gone of removed) await beforeDelete(gone.resource, gone.row, request, surroundings);
  return { plans, result: { kind: 'removed', resource: resource.name, within, row } };
}

function find({ compiled, within, id }: ItemTarget, surroundings: Surroundings): ReturnType<typeof findRow> {
  return findRow(compiled.resource, within, id, surroundings);
}
