import type { JsonObject } from '../../conventions/json/json.ts';
import { requireOperation, requireRoute, type RouteSurface } from '../surface/surface.ts';
import { API_EXAMPLES } from './api-examples.ts';
import { apiSchema, wrapPage } from './api-schemas.ts';
import { API_TAG, pathParameter } from './api-paths.ts';
import { notModified } from './collection-paths.ts';
import { type Description, unlessGenerated } from './described-resource.ts';
import { headObject, type OperationDescription, operationObject, optionsObject } from './operations.ts';
import { parameterObjects } from './query-parameters.ts';
import { describeContent, success } from './responses.ts';

const LIST_FIELDS = ['ETag', 'Link', 'Preference-Applied', 'X-Accel-Buffering', 'X-End-Cursor', 'X-Next-Cursor'];

/** The paths of the event log: its pages, its live feed and its events (EVT-8). */
export function eventPaths(to: Description): JsonObject {
  const [events, event] = [requireRoute(to.surface, 'events'), requireRoute(to.surface, 'event')];
  const [list, get] = [listOperation(to), getOperation(to)];
  const options = (operationId: string, route: RouteSurface): JsonObject =>
    optionsObject({ operationId, tag: API_TAG, operation: requireOperation(route, 'OPTIONS') }, to);
  return {
    [events.path]: {
      get: operationObject(list, to),
      ...unlessGenerated(to, () => ({
        head: headObject(
          { ...list, operationId: 'headLoggedEvents', responses: headResponses('headLoggedEvents', LIST_FIELDS, to) },
          to,
        ),
        options: options('optionsLoggedEvents', events),
      })),
    },
    [event.path]: {
      parameters: [pathParameter('id', to)],
      get: operationObject(get, to),
      ...unlessGenerated(to, () => ({
        head: headObject(
          { ...get, operationId: 'headLoggedEvent', responses: headResponses('headDocument', ITEM_FIELDS, to) },
          to,
        ),
        options: options('optionsLoggedEvent', event),
      })),
    },
  };
}

const ITEM_FIELDS = ['ETag', 'Link', 'Preference-Applied'];

function headResponses(name: string, fields: readonly string[], to: Description): JsonObject {
  return {
    '200': success(name, { description: 'The fields of the document.', fields }, to),
    '304': notModified(to),
  };
}

function listOperation(to: Description): OperationDescription {
  const { components, contract } = to;
  const operation = requireOperation(requireRoute(to.surface, 'events'), 'GET');
  const event = apiSchema('LoggedEvent', components);
  const page = components.ref('schemas', 'LoggedEventPage', () =>
    wrapPage(
      { item: event, most: contract.model.limits.page.max, example: API_EXAMPLES['LoggedEvent'] ?? null },
      components,
    ),
  );
  const content = describeContent({ kind: 'events', schema: page, line: event, cloudEvent: cloudEvent(to) }, to);
  return {
    operationId: 'listLoggedEvents',
    summary: 'List events',
    description:
      'A page of the log, in the order of the sequence; or, as text/event-stream, a live feed: each event has its sequence as id, its type as event and its envelope as data. A feed begins after Last-Event-ID, or now, and ends with the token of its reader.',
    tag: API_TAG,
    parameters: parameterObjects(operation, to),
    responses: {
      '200': success('loggedEventsResponse', { description: 'A page, or a feed.', fields: LIST_FIELDS, content }, to),
      '304': notModified(to),
    },
    operation,
  };
}

function getOperation(to: Description): OperationDescription {
  const operation = requireOperation(requireRoute(to.surface, 'event'), 'GET');
  const content = describeContent(
    {
      kind: 'event',
      schema: apiSchema('LoggedEvent', to.components),
      cloudEvent: cloudEvent(to),
    },
    to,
  );
  return {
    operationId: 'getLoggedEvent',
    summary: 'Get an event',
    description: 'One event of the log, by its id.',
    tag: API_TAG,
    parameters: parameterObjects(operation, to),
    responses: {
      '200': success('loggedEventResponse', { description: 'The event.', fields: ITEM_FIELDS, content }, to),
      '304': notModified(to),
    },
    operation,
  };
}

/** The schema of a CloudEvent, unless all bodies are JSON of the native format. */
function cloudEvent(to: Description): JsonObject {
  return unlessGenerated(to, () => apiSchema('CloudEvent', to.components));
}
