import type { JsonObject } from '../../conventions/json/json.ts';
import { linkName } from '../../model/link-name.ts';
import { toTypeName } from '../../model/type-names.ts';
import { eventDataSchema } from '../asyncapi/event-schemas.ts';
import type { ResourceSurface } from '../surface/surface.ts';
import { WEBHOOK_FIELDS } from '../webhook-fields.ts';
import { apiSchema } from './api-schemas.ts';
import { API_TAG } from './api-paths.ts';
import { type Description, partName } from './described-resource.ts';

/** A request that the server sends to receivers. */
interface SentEvent {
  /** The name of the webhook: a type of event. */
  readonly name: string;
  readonly tag: string;
  readonly summary: string;
  /** The schema of its body in the native format. */
  readonly schema: JsonObject;
}

/**
 * The requests to the receivers of webhooks (OPS-1), by the types of their events; null where the model has none.
 * A compact description has one for all types.
 */
export function describeWebhooks(resources: readonly ResourceSurface[], to: Description): JsonObject | null {
  const { contract, components } = to;
  const { webhooks } = contract.model;
  if (webhooks === null) return null;
  const logged = apiSchema('LoggedEvent', components);
  const all: SentEvent = { name: 'event', tag: API_TAG, summary: 'Receive an event', schema: logged };
  if (contract.isCompact) return toWebhooks([all], to);
  const sent = resources.flatMap((described) => listSent(described, to));
  const owner = contract.model.resources.get(webhooks.resources.webhooks);
  const type = `${owner?.singular ?? 'webhook'}.ping`;
  const tag = owner === undefined ? API_TAG : linkName(owner);
  const ping: SentEvent = { name: type, tag, summary: 'Receive a test', schema: ofType(type, logged, null) };
  return toWebhooks([...sent, ping], to);
}

function listSent({ resource, eventTypes }: ResourceSurface, { components }: Description): readonly SentEvent[] {
  const logged = apiSchema('LoggedEvent', components);
  const hasData = resource.events !== 'thin' && eventTypes.length > 0;
  const data = hasData
    ? components.ref('schemas', partName(resource, 'eventData'), () => eventDataSchema(resource))
    : null;
  return eventTypes.map((name) => ({
    name,
    tag: linkName(resource),
    summary: `Receive ${name}`,
    schema: ofType(name, logged, data),
  }));
}

/** The schema of an event of one type. */
function ofType(type: string, logged: JsonObject, data: JsonObject | null): JsonObject {
  const payload = data === null ? {} : { payload: { type: 'object', properties: { data } } };
  return { allOf: [logged, { type: 'object', properties: { type: { type: 'string', const: type }, ...payload } }] };
}

function toWebhooks(sent: readonly SentEvent[], to: Description): JsonObject {
  return Object.fromEntries(sent.map((each) => [each.name, { post: describeRequest(each, to) }]));
}

function describeRequest({ name, tag, summary, schema }: SentEvent, to: Description): JsonObject {
  const { components, contract } = to;
  return {
    operationId: `on${toTypeName(name.replaceAll('.', '_'))}`,
    summary,
    description: 'A signed POST to the url of each webhook whose event_types match. It is repeated until it succeeds.',
    tags: [tag],
    ...(contract.deprecated === null ? {} : { deprecated: true }),
    security: [],
    parameters: Object.entries(WEBHOOK_FIELDS).map(([field, { description, ...own }]) =>
      components.ref('parameters', `header.webhook.${field}`, () => ({
        name: field,
        in: 'header',
        required: true,
        description,
        schema: own,
      })),
    ),
    requestBody: {
      required: true,
      content: {
        'application/json': { schema },
        'application/cloudevents+json': { schema: apiSchema('CloudEvent', components) },
      },
    },
    responses: {
      '2XX': components.ref('responses', 'webhookReceived', () => ({ description: 'The event was received.' })),
      '410': components.ref('responses', 'webhookGone', () => ({
        description: 'No more events: the webhook is disabled. Any other status: the event is sent again later.',
      })),
    },
  };
}
