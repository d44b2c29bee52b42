import { findRow } from '../read/item.ts';
import type { WriteServices } from '../services.ts';
import { planCascade } from './cascade.ts';
import { hookPlans } from './hook-work.ts';
import { beforeDelete } from './hooks.ts';
import { checkPreconditions, type ItemTarget, originOf, type PreparedWrite, type WriteOperation } from './write.ts';

/** DELETE (MET-4). */
export function deleteOperation(target: ItemTarget): WriteOperation {
  return {
    ...target,
    takesBody: false,
    precheck: async () =>
      checkPreconditions(target, await findRow(target.request, target.compiled.resource, pathOf(target))),
    prepare: (_body, _firstPlan, services) => prepare(target, services),
  };
}

async function prepare(target: ItemTarget, services: WriteServices): Promise<PreparedWrite> {
  const { request, compiled, within } = target;
  const { resource } = compiled;
  const row = await findRow(request, resource, pathOf(target));
  checkPreconditions(target, row);
  const author = { events: services.events, origin: originOf(request, services) };
  const { plans, deleted } = await planCascade({ resource, row, within }, author, {
    contract: request.contract,
    rows: request.rows.unrestricted(),
  });
  const work = await beforeDelete(request, deleted, services);
  const { before, after, expectStamps } = hookPlans(work, resource, row.id);
  return {
    plans: [...before, ...plans, ...after],
    expectStamps,
    result: { kind: 'removed', resource: resource.name, within, row },
  };
}

function pathOf({ id, within }: ItemTarget): Pick<ItemTarget, 'id' | 'within'> {
  return { id, within };
}
