import { beforeRemoval } from './hooks.ts';
import { findRow } from './read.ts';
import { removalPlans } from './removal.ts';
import type { Surroundings } from './surroundings.ts';
import { checkPreconditions, type ItemTarget, type Operation, originOf, type Prepared } from './write.ts';

/** DELETE (MET-4). */
export function removal(target: ItemTarget): Operation {
  return {
    ...target,
    takesBody: false,
    look: async (surroundings) => checkPreconditions(target, await find(target, surroundings)),
    prepare: (_body, _first, surroundings) => prepareRemoval(target, surroundings),
  };
}

async function prepareRemoval(target: ItemTarget, surroundings: Surroundings): Promise<Prepared> {
  const { request, compiled, within } = target;
  const { resource } = compiled;
  const row = await find(target, surroundings);
  checkPreconditions(target, row);
  const { plans, removed } = await removalPlans(resource, row, within, originOf(request, surroundings), surroundings);
  for (const gone of removed) await beforeRemoval(gone.resource, gone.row, request, surroundings);
  return { plans, effect: { kind: 'removed', resource: resource.name, within, row } };
}

function find({ compiled, within, id }: ItemTarget, surroundings: Surroundings): ReturnType<typeof findRow> {
  return findRow(compiled.resource, within, id, surroundings);
}
