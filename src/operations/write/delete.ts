import type { Resource } from '../../model/model.ts';
import { keyMembers } from '../../model/row-key.ts';
import { findRow } from '../read/item.ts';
import { planCascade } from './cascade.ts';
import type { CommitTiming } from './commits.ts';
import { hookPlans } from './hook-work.ts';
import { beforeDelete } from './hooks.ts';
import { inCallersTerms } from './refusals/older-contract-error.ts';
import { judgingStamps, requireChangeable } from './row-access.ts';
import {
  checkPreconditions,
  type CommitServices,
  type ItemTarget,
  type PreparedWrite,
  type WriteOperation,
  writeOrigin,
  type WriteServices,
} from './write.ts';
import type { Row } from '../../plan/plan.ts';
import { deletePlan } from '../../plan/write/write-plan.ts';

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

/** Deliveries that are deleted in one transaction. Fewer are deleted with their webhook. */
const STEP = 500;

/** Finds the resource of the deliveries below a webhook; null for any other row. */
export function deliveriesBelow({ system: { contract }, systemResource }: ItemTarget): Resource | null {
  const { webhooks } = contract.model;
  if (webhooks?.resources.webhooks !== systemResource.resource.name) return null;
  return contract.resourceOf(webhooks.resources.deliveries).resource;
}

/**
 * Deletes deliveries of a webhook before its deletion, in transactions of their own, until few are left. A webhook may
 * have any number of them, and a cascade deletes 10,000 rows at most (MET-4).
 *
 * @throws {ApiError} 503: it could not end in time; the next request continues
 */
export async function clearDeliveries(
  { system, systemResource, id }: ItemTarget,
  resource: Resource,
  services: CommitServices,
  timing: CommitTiming,
): Promise<void> {
  const within = [{ resource: systemResource.resource.name, id }];
  const rows = system.rows.unrestricted();
  const author = { events: services.events, origin: writeOrigin(system, services) };
  for (;;) {
    const page = await rows.list({
      kind: 'list',
      resource: resource.name,
      within,
      filter: [],
      order: keyMembers(resource).map((path) => ({ path, descending: false })),
      window: { kind: 'seek', after: null, backward: false, limit: STEP },
      count: { kind: 'none' },
      effort: 'light',
    });
    if (!page.more) return;
    // If a delivery has changed meanwhile, none is deleted, and they are read again.
    await services.commits.commit(
      { plans: page.rows.map((row) => deletePlan(author, { resource, within, row })) },
      timing,
    );
  }
}
