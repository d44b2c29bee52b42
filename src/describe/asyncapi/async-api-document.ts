import type { JsonObject } from '../../conventions/json/json.ts';
import type { Model } from '../../model/model.ts';
import { finishSteps, type Steps } from '../../platform/time-slices.ts';
import { Components } from '../components.ts';
import type { DescribedContract } from '../described-contract.ts';
import { requireRoute, type Surface, surfaceSteps } from '../surface/surface.ts';
import { SECURITY_SCHEME, securityScheme } from '../openapi/security.ts';
import { feedError, feedMessages, type MessageReferences, webhookMessages } from './event-messages.ts';
import type { EventSchemaContext, DescribedEventType } from './event-schemas.ts';

/** The version of AsyncAPI. */
const SPECIFICATION = '3.1.0';
/** The version of the HTTP bindings. */
const BINDING_VERSION = '0.3.0';

/**
 * The description of the events of a contract (EVT-10c, OPS-1): each type as webhooks and the live feed deliver it. It
 * follows from the model alone, and so does the order of its members.
 */
export function asyncApiDocument(contract: DescribedContract): JsonObject {
  return finishSteps(asyncApiSteps(contract));
}

/** Makes the same document in steps, one for each type of events. */
export function* asyncApiSteps(contract: DescribedContract): Steps<JsonObject> {
  const { model, version } = contract;
  const components = new Components();
  const { major, minor } = model.version;
  const context: EventSchemaContext = { model, schemaVersion: `${major}.${minor}`, components };
  const surface = yield* surfaceSteps(contract);
  const parts = [
    yield* feedSteps(surface, context),
    ...(model.webhooks === null ? [] : [yield* webhookSteps(surface, context)]),
  ];
  if (model.auth !== null) components.ref('securitySchemes', SECURITY_SCHEME, () => securityScheme(model));
  return {
    asyncapi: SPECIFICATION,
    info: { title: model.title, version, description: TEXT, tags: [EVENTS_TAG] },
    defaultContentType: 'application/json',
    servers: Object.assign({}, ...parts.map(({ server }) => server)),
    channels: Object.assign({}, ...parts.map(({ channel }) => channel)),
    operations: Object.assign({}, ...parts.map(({ operation }) => operation)),
    components: components.toJson(),
  };
}

const TEXT = [
  'The events of the API: one for each change, written in the transaction of the change and delivered at least once, in the order of their sequence.',
  'A reader gets the events of rows that it may read, with the fields that it may read, in the version that is described here. An `updated` without data says that a row left its sight.',
].join('\n\n');

const EVENTS_TAG: JsonObject = { name: 'events', description: 'Changes of resources.' };

/** A channel with its server and its operation, by their names. */
interface ChannelParts {
  readonly server: JsonObject;
  readonly channel: JsonObject;
  readonly operation: JsonObject;
}

/** The types of the events of a contract. */
function eventTypes({ resources }: Surface): readonly DescribedEventType[] {
  return [...resources.values()].flatMap(({ resource, eventTypes: types }) =>
    types.map((type) => ({ resource, verb: type.slice(type.lastIndexOf('.') + 1) })),
  );
}

/** The live feed: a stream that a reader requests. */
function* feedSteps(surface: Surface, context: EventSchemaContext): Steps<ChannelParts> {
  const { model } = context;
  const messages = {
    ...(yield* messageSteps(eventTypes(surface), (type) => feedMessages(type, context))),
    ...feedError(context),
  };
  return {
    server: { api: apiServer(model) },
    channel: {
      feed: {
        address: requireRoute(surface, 'events').path,
        title: 'Live feed',
        description: 'Server-sent events (`text/event-stream`). A heartbeat comes every 15 s where there is no event.',
        servers: [{ $ref: '#/servers/api' }],
        messages,
      },
    },
    operation: {
      sendFeed: {
        action: 'send',
        channel: { $ref: '#/channels/feed' },
        title: 'Follow the events',
        summary: 'Send events to a reader as they are logged.',
        description:
          'The reader sends GET with `Accept: text/event-stream`, and `Last-Event-ID` with the sequence of its last event to continue after it; 410 `EVENT_POSITION_EXPIRED` where later events are no longer stored. The same path lists the log page by page, which OpenAPI describes.',
        tags: [EVENTS_TAG],
        bindings: { http: { method: 'GET', query: feedQuery(surface), bindingVersion: BINDING_VERSION } },
        messages: references('feed', messages),
      },
    },
  };
}

/** The filters of the feed. */
function feedQuery({ resources }: Surface): JsonObject {
  const types = [...resources.values()].flatMap(({ eventTypes: own }) => own);
  const text = (description: string): JsonObject => ({ type: 'string', description });
  return {
    type: 'object',
    properties: {
      type: { ...text('A type of event; repeated, any of them.'), ...(types.length === 0 ? {} : { enum: types }) },
      collection: text('The collection of the resource of the events, as in URLs; repeated, any of them.'),
      resource_type: text('The resource of the events, in the singular; repeated, any of them.'),
      resource_id: text('The id of the resource of the events.'),
    },
  };
}

/** The requests to receivers. */
function* webhookSteps(surface: Surface, context: EventSchemaContext): Steps<ChannelParts> {
  const { model } = context;
  const webhooks = model.resources.get(model.webhooks?.resources.webhooks ?? '');
  const ping = webhooks === undefined ? [] : [{ resource: webhooks, verb: 'ping' }];
  const messages = yield* messageSteps([...eventTypes(surface), ...ping], (type) => webhookMessages(type, context));
  return {
    server: {
      receiver: {
        host: '{host}',
        protocol: 'https',
        description: 'The host in the url of a webhook.',
        variables: { host: { description: 'A public host.', default: 'receiver.example.com' } },
      },
    },
    channel: {
      webhooks: {
        address: null,
        title: 'Webhooks',
        description: 'Requests to the url of each webhook whose event_types and filter match.',
        servers: [{ $ref: '#/servers/receiver' }],
        messages,
      },
    },
    operation: {
      sendWebhook: {
        action: 'send',
        channel: { $ref: '#/channels/webhooks' },
        title: 'Deliver an event',
        summary: 'Send an event to a receiver.',
        description:
          'A POST that is repeated until the receiver responds with 2xx: the same id and body each time. 410 disables the webhook; 429, 502, 503 and 504 may have Retry-After; redirects are not followed.',
        tags: [EVENTS_TAG],
        bindings: { http: { method: 'POST', bindingVersion: BINDING_VERSION } },
        messages: references('webhooks', messages),
      },
    },
  };
}

/** The server of the API. Without a public URL the document does not know its host: a variable stands for it. */
function apiServer({ publicUrl, auth }: Model): JsonObject {
  const security = auth === null ? {} : { security: [{ $ref: `#/components/securitySchemes/${SECURITY_SCHEME}` }] };
  const description = 'The origin of the API.';
  if (publicUrl !== null) {
    const { host, protocol } = new URL(publicUrl);
    return { host, protocol: protocol.slice(0, -1), description, ...security };
  }
  const variables = { host: { description: 'The host of the API, with its port.', default: 'localhost:3000' } };
  return { host: '{host}', protocol: 'http', description, variables, ...security };
}

function* messageSteps(
  types: readonly DescribedEventType[],
  describe: (type: DescribedEventType) => MessageReferences,
): Steps<MessageReferences> {
  const parts: MessageReferences[] = [];
  for (const type of types) {
    parts.push(describe(type));
    yield;
  }
  return Object.assign({}, ...parts);
}

function references(channel: string, messages: MessageReferences): readonly JsonObject[] {
  return Object.keys(messages).map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` }));
}
