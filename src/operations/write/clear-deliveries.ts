import type { Resource } from '../../model/model.ts';
import { keyMembers } from '../../model/row-key.ts';
import { deletePlan } from '../../plan/write/write-plan.ts';
import type { CommitTiming } from './commits.ts';
import { type CommitServices, type ItemTarget, writeOrigin } from './write.ts';

/** Deliveries that are deleted in one transaction. Fewer are deleted with their webhook. */
const STEP = 500;

/** The resource of the deliveries below a webhook; null for any other row. */
export function deliveriesBelow({ system: { contract }, systemResource }: ItemTarget): Resource | null {
  const { webhooks } = contract.model;
  if (webhooks?.resources.webhooks !== systemResource.resource.name) return null;
  return contract.resourceOf(webhooks.resources.deliveries).resource;
}

/**
 * Deletes deliveries of a webhook before its deletion, in transactions of their own, until few are left. A webhook may have any number of them, and a
 * cascade deletes 10,000 rows at most (MET-4).
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
    // If one has changed meanwhile, none is deleted, and they are read again.
    await services.commits.commit(
      { plans: page.rows.map((row) => deletePlan(author, { resource, within, row })) },
      timing,
    );
  }
}
