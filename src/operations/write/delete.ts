import type { Row } from '../../plan/plan.ts';
import { findRow } from '../read/item.ts';
import { planCascade } from './cascade.ts';
import { clearDeliveries, deliveriesBelow } from './clear-deliveries.ts';
import { hookPlans } from './hook-work.ts';
import { beforeDelete } from './hooks.ts';
import { inCallersTerms } from './older-contract-error.ts';
import { judgingStamps, requireChangeable } from './row-access.ts';
import {
  checkPreconditions,
  type ItemTarget,
  type PreparedWrite,
  type WriteOperation,
  writeOrigin,
  type WriteServices,
} from './write.ts';

/** Makes the operation of a DELETE (MET-4). */
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
  const { system, systemResource, within } = target;
  const { resource } = systemResource;
  const judgedBy = await judgingStamps(target, 'delete');
  const row = await findDeletable(target);
  const author = { events: services.events, origin: writeOrigin(system, services) };
  const source = { contract: system.contract, rows: system.rows.unrestricted() };
  const { plans, deleted } = await inCallersTerms(target, () => planCascade({ resource, row, within }, author, source));
  const work = await inCallersTerms(target, () => beforeDelete(system, deleted, services));
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
  const { caller, system, callerResource, id, within } = target;
  const reader = { rows: system.rows, contract: caller.contract };
  const row = await findRow(reader, callerResource.resource, { id, within });
  await requireChangeable(target, row, 'delete');
  checkPreconditions(target, row);
  return row;
}
