import { weakMemoize } from '../../cache/memoize.ts';
import type { JsonObject } from '../../conventions/json/json.ts';
import { type FormatOffer, formatOffers, type ResponseFormat } from '../../conventions/media/response-format.ts';
import { STATUS_PHRASES } from '../../conventions/status-phrases.ts';
import { type RouteKind, ROUTES } from '../../plan/routes/route-table.ts';
import { exampleError } from './api-examples.ts';
import { apiSchema } from './api-schemas.ts';
import { type Description, partName } from './described-resource.ts';
import type { DescribedContract } from '../described-contract.ts';
import { generalErrorCodes } from '../surface/error-codes.ts';
import type { SurfaceOperation, OperationKind } from '../surface/operation.ts';
import type { Surface } from '../surface/surface.ts';
import { responseFields, unversionedFields } from './header-fields.ts';

/** The content of a response. */
export interface DescribedContent {
  readonly kind: RouteKind;
  /** The schema of formats with one JSON document. */
  readonly schema: JsonObject;
  /** The schema of one line of NDJSON, and of one event of a feed. */
  readonly line?: JsonObject;
  /** The schema of one CloudEvent. */
  readonly cloudEvent?: JsonObject;
}

/** A successful response. */
export interface SuccessDescription {
  readonly description: string;
  readonly fields: readonly string[];
  /** True for what has no version, such as health checks (VER-4). Default: false. */
  readonly isUnversioned?: boolean;
  /** Absent where it has no body. */
  readonly content?: JsonObject;
}

/** A successful response, which is shared under a name. */
export function success(
  name: string,
  { description, fields, isUnversioned = false, content }: SuccessDescription,
  to: Description,
): JsonObject {
  return to.components.ref('responses', name, () => ({
    description,
    headers: isUnversioned ? unversionedFields(to) : responseFields(fields, to),
    ...(content === undefined ? {} : { content }),
  }));
}

/** The media types of a response, each with its schema (NEG-1): a page in CSV or text has no schema of its own. */
export function describeContent(
  { kind, schema, line = schema, cloudEvent = {} }: DescribedContent,
  { contract, edition, profile }: Description,
): JsonObject {
  if (profile === 'generators') return { 'application/json': { schema } };
  const { name, version, limits } = contract.model;
  // The page for people is no interface of programs.
  const formats = ROUTES[kind].formats.filter((format) => format !== 'html');
  return Object.fromEntries(
    formatOffers(name, version, formats).map((offer) => [
      mediaType(offer),
      mediaTypeObject(offer.format, { schema, line, cloudEvent, most: limits.page.max, edition }),
    ]),
  );
}

/** The media type of an offer without its parameters. */
export function mediaType({ type, subtype }: Pick<FormatOffer, 'type' | 'subtype'>): string {
  return `${type}/${subtype}`;
}

interface ContentSchemas {
  readonly schema: JsonObject;
  readonly line: JsonObject;
  readonly cloudEvent: JsonObject;
  /** Events of a page. */
  readonly most: number;
  readonly edition: Description['edition'];
}

function mediaTypeObject(
  format: ResponseFormat,
  { schema, line, cloudEvent, most, edition }: ContentSchemas,
): JsonObject {
  switch (format) {
    case 'json':
      return { schema };
    case 'cloudevent':
      return { schema: cloudEvent };
    case 'cloudevents':
      return { schema: { type: 'array', maxItems: most, items: cloudEvent } };
    case 'event-stream':
      return eventStreamObject(line, edition);
    case 'ndjson':
      return linesObject(line, edition);
    case 'xml':
    case 'text':
    case 'csv':
    case 'html':
      return { schema: { type: 'string' } };
  }
}

/** NDJSON: OpenAPI 3.2 knows the schema of a line. */
export function linesObject(line: JsonObject, edition: Description['edition']): JsonObject {
  return edition === '3.2' ? { itemSchema: line } : { schema: { type: 'string' } };
}

/** Server-sent events: OpenAPI 3.2 knows the schema of one. */
function eventStreamObject(event: JsonObject, edition: Description['edition']): JsonObject {
  if (edition !== '3.2') return { schema: { type: 'string' } };
  const data = { type: 'string', contentMediaType: 'application/json', contentSchema: event };
  const properties = { id: { type: 'string' }, event: { type: 'string' }, data, retry: { type: 'integer' } };
  return { itemSchema: { type: 'object', properties } };
}

/** One response for all errors of a short description. */
export function anyError(to: Description): JsonObject {
  return to.components.ref('responses', 'error', () => ({
    description: 'The request failed: its status and code say why.',
    headers: responseFields(['WWW-Authenticate', 'Retry-After', 'Link'], to),
    content: {
      'application/json': { schema: apiSchema('ApiError', to.components) },
      ...(to.profile === 'generators'
        ? {}
        : { 'application/problem+json': { schema: apiSchema('ApiProblem', to.components) } }),
    },
  }));
}

/** The phrases of the statuses of errors. */
const PHRASES: Readonly<Record<number, string>> = {
  400: 'The request is invalid.',
  401: 'Credentials are missing or not valid.',
  403: 'The caller may not do this.',
  404: 'There is no such resource.',
  405: 'The method is not one of the resource.',
  406: 'No media type in Accept is available.',
  408: 'The body did not arrive in time.',
  409: 'The request conflicts with the state of the resource.',
  410: 'The version is no longer served, or the events after a position are no longer stored.',
  412: 'A precondition does not hold.',
  413: 'The body, or what it would make, is too large.',
  414: 'The URL is too long.',
  415: 'The media type or coding of the body is not supported.',
  417: 'The expectation cannot be met.',
  422: 'The idempotency key belongs to another request.',
  428: 'The request needs If-Match.',
  429: 'Too many requests.',
  431: 'The header fields are too large.',
  500: 'The server failed.',
  503: 'The server is overloaded or not available; try again.',
};

/** The fields that errors of a status have besides the common ones. */
const FIELDS: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  405: ['Allow'],
  409: ['Retry-After'],
  410: ['Link'],
  415: ['Accept', 'Accept-Encoding', 'Accept-Patch', 'Accept-Query'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** The responses of an operation that fails: a status each, with its codes (ERR-1, ERR-2). */
export function errorResponses(operation: SurfaceOperation, description: Description): JsonObject {
  if (description.profile === 'generators') return { default: anyError(description) };
  return Object.fromEntries(
    [...operation.errors].map(([status, own]) => [
      String(status),
      errorResponse(status, own, { operation, description }),
    ]),
  );
}

interface ErrorContext {
  readonly operation: SurfaceOperation;
  readonly description: Description;
}

/** Errors with the same status and codes are one component: most have no code of a resource. */
function errorResponse(status: number, codes: readonly string[], { operation, description }: ErrorContext): JsonObject {
  const isAny = operation.kind === 'batch';
  const names = errorNames(status, codes, { operation, description });
  const key = errorKey(operation, codes);
  const make = (schema: JsonObject): JsonObject => ({
    description: PHRASES[status] ?? 'The request failed.',
    headers: responseFields(FIELDS[status] ?? [], description),
    content: errorContent(schema, description),
  });
  const { components, edition, surface } = description;
  const coded: CodedError = [status, codes];
  // OpenAPI 3.1 has QUERY in an extension, in which tools see no reference.
  if (edition === '3.1' && !errorsBesidesQuery(surface).has(`${status} ${key}`))
    return make(codedSchema(coded, components));
  return components.shared('responses', names, key, (name) =>
    make(
      isAny ? apiSchema('ApiError', components) : components.ref('schemas', name, () => codedSchema(coded, components)),
    ),
  );
}

/** The errors of all operations that are no QUERY, by status and key. HEAD has those of GET. */
const errorsBesidesQuery = weakMemoize(({ resources, routes }: Surface): ReadonlySet<string> => {
  const all = [...routes.values(), ...[...resources.values()].flatMap(({ collection, item }) => [collection, item])];
  const others = all.flatMap(({ operations }) => [...operations.values()]).filter(({ kind }) => kind !== 'query');
  return new Set(
    others.flatMap((operation) =>
      [...operation.errors].map(([status, codes]) => `${status} ${errorKey(operation, codes)}`),
    ),
  );
});

/** The errors of a status that are one component have the same key. A batch has any code. */
function errorKey({ kind }: SurfaceOperation, codes: readonly string[]): string {
  return kind === 'batch' ? 'batch' : codes.join(' ');
}

/**
 * The names that an error may have. They depend on the operations of its resource alone: other resources of the model
 * do not change them.
 */
function errorNames(
  status: number,
  codes: readonly string[],
  { operation: { kind, resource }, description: { contract } }: ErrorContext,
): readonly string[] {
  const phrase = (STATUS_PHRASES[status] ?? String(status)).toLowerCase().replace(/ error$/, '');
  const [plain = '', ofKind = ''] = [`${phrase} error`, `${kind} ${phrase} error`].map(camelCase);
  if (kind === 'batch') return [ofKind];
  const shared = namedKinds(contract)(status, codes);
  if (shared !== null) return [shared === '' ? plain : camelCase(`${shared} ${phrase} error`)];
  return resource === null ? [ofKind] : [partName(resource, plain), partName(resource, ofKind)];
}

/** The kinds of operations, in the order in which they give errors their names. Batches have names of their own. */
const NAMING_KINDS: readonly OperationKind[] = [
  ...(['document', 'options', 'batch-record', 'events', 'event', 'query', 'list', 'create'] as const),
  ...(['get', 'replace', 'patch', 'delete', 'health', 'description'] as const),
];

/**
 * Finds the kind that gives its name to an error without a code of a resource: the first one that has it. '' if no
 * other has the status before.
 */
const namedKinds = weakMemoize((contract: DescribedContract) => {
  const names = new Map<string, OperationKind | ''>();
  const statuses = new Set<number>();
  for (const kind of NAMING_KINDS) {
    for (const [status, codes] of generalErrorCodes(kind, contract)) {
      const key = `${status} ${codes.join(' ')}`;
      if (!names.has(key)) names.set(key, statuses.has(status) ? kind : '');
      statuses.add(status);
    }
  }
  return (status: number, codes: readonly string[]): string | null => names.get(`${status} ${codes.join(' ')}`) ?? null;
});

/** `batch-record not found` gives `batchRecordNotFound`. */
function camelCase(words: string): string {
  return words.replaceAll(/[ -](.)/g, (_, first: string) => first.toUpperCase());
}

type CodedError = readonly [status: number, codes: readonly string[]];

/** An error with one of some codes. Under the name of its response it is a type of its own in clients. */
function codedSchema([status, codes]: CodedError, components: Description['components']): JsonObject {
  return {
    allOf: [
      apiSchema('ApiError', components),
      { type: 'object', required: ['errorCode'], properties: { errorCode: { type: 'string', enum: codes } } },
    ],
    examples: [exampleError(status, codes[0] ?? '')],
  };
}

/** An error in each of its formats (ERR-6). */
function errorContent(schema: JsonObject, { components }: Description): JsonObject {
  const text: JsonObject = { schema: { type: 'string' } };
  return {
    'application/json': { schema },
    'application/problem+json': { schema: apiSchema('ApiProblem', components) },
    'application/xml': text,
    'text/plain': text,
  };
}
