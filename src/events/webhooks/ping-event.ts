import { type EventEnvelope, ofActor } from '../../conventions/events/event.ts';
import type { Contracts } from '../../contract/contract.ts';
import type { EventContext } from '../../plan/events/change-event.ts';
import { readString } from '../../model/values/access.ts';
import type { Row } from '../../plan/plan.ts';
import type { WebhookSettings } from '../../model/webhook-settings.ts';

interface PingParts {
  readonly settings: Pick<WebhookSettings, 'resources'>;
  readonly contracts: Contracts;
  readonly events: EventContext;
}

/** A sequence that no event of the log has. */
const SEQUENCE = '0'.repeat(20);

/**
 * Makes the event that tests a webhook; it is not in the log.
 *
 * @param delivery the delivery that requests it, whose id it has
 */
export function pingEvent({ id, created_at: timestamp, webhook_id: webhook }: Row, parts: PingParts): EventEnvelope {
  const { settings, contracts, events } = parts;
  const { resource } = contracts.current.resourceOf(settings.resources.webhooks);
  const { major, minor } = contracts.current.model.version;
  const url = events.urls.item(events.base(), resource, [], readString(webhook) ?? '');
  return {
    id,
    type: `${resource.singular}.ping`,
    payload: {
      timestamp,
      resource: { type: resource.singular, id: readString(webhook) ?? '', url },
      parents: [],
      changed_fields: [],
    },
    metadata: {
      trace_id: id.replaceAll('-', ''),
      correlation_id: id,
      schema_version: `${major}.${minor}`,
      sequence: SEQUENCE,
      actor: null,
      caller: ofActor(null),
    },
  };
}
