import type { JsonObject } from '../../conventions/json/json.ts';
import { typesOf } from '../../plan/events/event-types.ts';
import { eventsRule } from '../../plan/events/event-rules.ts';
import { ROUTES } from '../../plan/routes/route-table.ts';
import { API_EXAMPLES, EXAMPLE_ID, withExample } from './api-examples.ts';
import { apiSchema, pageOf } from './api-schemas.ts';
import { API_TAG, pathParameter } from './api-paths.ts';
import { notModified, readFields } from './collection-paths.ts';
import { basePathOf, type Description } from './described-resource.ts';
import { requestField } from './header-fields.ts';
import { accessOf, headObject, type OperationDescription, operationObject, optionsObject } from './operations.ts';
import { pageParameterRefs, versionRef } from './query-parameters.ts';
import { contentOf, success } from './responses.ts';

const LIST_FIELDS = ['ETag', 'Link', 'Preference-Applied', 'X-Accel-Buffering', 'X-End-Cursor', 'X-Next-Cursor'];

/** Values of a filter; the length of a request target allows for fewer. The same in each model, so that an added resource changes nothing else. */
const MAX_VALUES = 1_000;

/** The paths of the event log: its pages, its live feed and its events (EVT-8). */
export function eventPaths(to: Description): JsonObject {
  const { model } = to.contract;
  const path = `${basePathOf(model)}/${model.system.events}`;
  const [list, get] = [listOperation(to), getOperation(to)];
  const options = (operationId: string, kind: 'events' | 'event'): JsonObject =>
    optionsObject({ operationId, tag: API_TAG, methods: ROUTES[kind].methods }, to);
  return {
    [path]: {
      get: operationObject(list, to),
      head: headObject(
        { ...list, operationId: 'headLoggedEvents', responses: headResponses('headLoggedEvents', LIST_FIELDS, to) },
        to,
      ),
      options: options('optionsLoggedEvents', 'events'),
    },
    [`${path}/{id}`]: {
      parameters: [pathParameter('id', to)],
      get: operationObject(get, to),
      head: headObject(
        { ...get, operationId: 'headLoggedEvent', responses: headResponses('headDocument', ITEM_FIELDS, to) },
        to,
      ),
      options: options('optionsLoggedEvent', 'event'),
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
  const event = apiSchema('LoggedEvent', components);
  const page = components.ref('schemas', 'LoggedEventPage', () =>
    pageOf(
      { item: event, most: contract.model.limits.page.max, example: API_EXAMPLES['LoggedEvent'] ?? null },
      components,
    ),
  );
  const content = contentOf(
    { kind: 'events', schema: page, line: event, cloudEvent: apiSchema('CloudEvent', to.components) },
    to,
  );
  return {
    operationId: 'listLoggedEvents',
    summary: 'List events',
    description:
      'A page of the log, in the order of the sequence; or, as text/event-stream, a live feed: each event has its sequence as id, its type as event and its envelope as data. A feed begins after Last-Event-ID, or now, and ends with the token of its reader.',
    tag: API_TAG,
    parameters: [
      ...filterParameters(to),
      ...pageParameterRefs(['limit', 'per_page', 'after', 'start_time', 'before'], to),
      versionRef(to),
      requestField('Last-Event-ID', to),
      ...readFields(to),
    ],
    responses: {
      '200': success('loggedEventsResponse', { description: 'A page, or a feed.', fields: LIST_FIELDS, content }, to),
      '304': notModified(to),
    },
    fails: { kind: 'events', resource: null, above: [], access: accessOf([eventsRule(contract.model)]) },
  };
}

function getOperation(to: Description): OperationDescription {
  const content = contentOf(
    {
      kind: 'event',
      schema: apiSchema('LoggedEvent', to.components),
      cloudEvent: apiSchema('CloudEvent', to.components),
    },
    to,
  );
  return {
    operationId: 'getLoggedEvent',
    summary: 'Get an event',
    description: 'One event of the log, by its id.',
    tag: API_TAG,
    parameters: [versionRef(to), ...readFields(to)],
    responses: {
      '200': success('loggedEventResponse', { description: 'The event.', fields: ITEM_FIELDS, content }, to),
      '304': notModified(to),
    },
    fails: { kind: 'event', resource: null, above: [], access: accessOf([eventsRule(to.contract.model)]) },
  };
}

function filterParameters(to: Description): readonly JsonObject[] {
  const { resources } = to.contract.model;
  const loud = [...resources.values()].filter((resource) => typesOf(resource).length > 0);
  const repeated = (name: string, values: readonly string[], description: string): JsonObject =>
    to.components.ref('parameters', `query.${name}`, () => ({
      name,
      in: 'query',
      description,
      style: 'form',
      explode: true,
      schema: { type: 'array', maxItems: MAX_VALUES, items: textOf(values) },
    }));
  return [
    repeated('type', loud.flatMap(typesOf), 'The types of the events; repeated, any of them.'),
    repeated(
      'collection',
      loud.map(({ collection }) => collection),
      'The collections of the resources of the events, as in URLs; repeated, any of them.',
    ),
    repeated(
      'resource_type',
      loud.map(({ singular }) => singular),
      'The resources of the events; repeated, any of them.',
    ),
    to.components.ref('parameters', 'query.resource_id', () => ({
      name: 'resource_id',
      in: 'query',
      description: 'The id of the resource of the events.',
      schema: withExample({ type: 'string' }, EXAMPLE_ID),
    })),
  ];
}

/** One of some words, where there are any. */
function textOf(values: readonly string[]): JsonObject {
  return values.length === 0 ? { type: 'string' } : { type: 'string', enum: values };
}
