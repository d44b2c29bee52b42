import type { Row } from '../../plan/plan.ts';
import { findRow } from '../read/item.ts';
import type { WriteServices } from '../../pipeline/services.ts';
import { planCascade } from './cascade.ts';
import { clearDeliveries, deliveriesBelow } from './clear-deliveries.ts';
import { hookPlans } from './hook-work.ts';
import { beforeDelete } from './hooks.ts';
import { inCallersTerms } from './older-contract-error.ts';
import { judgingStamps, requireChangeable } from './row-access.ts';
import { checkPreconditions, type ItemTarget, originOf, type PreparedWrite, type WriteOperation } from './write.ts';

/** DELETE (MET-4). */
export function deleteOperation(target: ItemTarget): WriteOperation {
  return {
    ...target,
    takesBody: false,
    precheck: async () => void (await findDeletable(target)),
    clear: async (services, timing) => {
      const deliveries = deliveriesBelow(target);
      if (deliveries === null) return;
      await findDeletable(target);
      await clearDeliveries(target, deliveries, services, timing);
    },
    prepare: (_body, _firstPlan, services) => prepare(target, services),
  };
}

async function prepare(target: ItemTarget, services: WriteServices): Promise<PreparedWrite> {
  const { request, compiled, within } = target;
  const { resource } = compiled;
  const judgedBy = await judgingStamps(target, 'delete');
  const row = await findDeletable(target);
  const author = { events: services.events, origin: originOf(request, services) };
  const source = { contract: request.contract, rows: request.rows.unrestricted() };
  const { plans, deleted } = await inCallersTerms(target, () => planCascade({ resource, row, within }, author, source));
  const work = await inCallersTerms(target, () => beforeDelete(request, deleted, services));
  const { before, after, expectStamps } = hookPlans(work, resource, row.id);
  return {
    plans: [...before, ...plans, ...after],
    expectStamps,
    judgedBy,
    result: { kind: 'removed', resource: resource.name, within, row },
  };
}

/** Steps 14 to 16. @throws {ApiError} 404, 403, 412, 428 */
async function findDeletable(target: ItemTarget): Promise<Row> {
  const { request, contract, shown } = target;
  const row = await findRow({ rows: request.rows, contract }, shown.resource, pathOf(target));
  await requireChangeable(target, row, 'delete');
  checkPreconditions(target, row);
  return row;
}

function pathOf({ id, within }: ItemTarget): Pick<ItemTarget, 'id' | 'within'> {
  return { id, within };
}
