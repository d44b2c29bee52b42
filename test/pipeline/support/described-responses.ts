import assert from 'node:assert/strict';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { isJsonObject, type Json, type JsonObject } from '../../../src/conventions/json/json.ts';
import { type DescribedContract, describedContracts } from '../../../src/describe/described-contract.ts';
import { openApiDocument } from '../../../src/describe/openapi/open-api-document.ts';
import type { Model } from '../../../src/model/model.ts';
import { descriptionValidator, member, listOperations, rebased, resolved } from '../../describe/openapi/consistency.ts';
import type { Seen } from './api-under-test.ts';

/** The request that a response answers. */
export interface AnsweredRequest {
  readonly method: string;
  readonly target: string;
}

/** Fields of the connection and of the content coding, which belong to HTTP and not to an API. */
const TRANSPORT = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  // Sent by servers in development alone.
  'server-timing',
  'transfer-encoding',
]);

/** Checkers by the fingerprint of a model: many tests have the same one. */
const checkers = new Map<string, ResponseChecker>();

/**
 * Checks a response against the description of its version. The operation must have the status, and the status must
 * have the header fields and the media type. The body must match the schema, and have no undescribed member. Targets
 * without a description are not checked: those without a route, redirects, metrics and the page for people.
 */
export function assertDescribed(model: Model, request: AnsweredRequest, response: Seen): void {
  const key = JSON.stringify([model.fingerprint, model.publicUrl]);
  const known = checkers.get(key) ?? new ResponseChecker(model);
  checkers.set(key, known);
  known.check(request, response);
}

class ResponseChecker {
  readonly #contracts: ReadonlyMap<string, DescribedContract>;
  readonly #described = new Map<string, DescribedVersion>();

  constructor(model: Model) {
    this.#contracts = new Map(describedContracts(model).map((each) => [each.version, each]));
  }

  check(request: AnsweredRequest, response: Seen): void {
    const version = response.headers.get('api-version') ?? '';
    const contract = this.#contracts.get(version);
    if (contract === undefined) return;
    const described = this.#described.get(version) ?? new DescribedVersion(contract);
    this.#described.set(version, described);
    described.check(request, response);
  }
}

interface DescribedOperation {
  readonly method: string;
  readonly path: RegExp;
  readonly operation: JsonObject;
}

class DescribedVersion {
  readonly #contract: DescribedContract;
  readonly #document: JsonObject;
  readonly #operations: readonly DescribedOperation[];
  readonly #ajv: Ajv2020 = descriptionValidator();
  readonly #validators = new Map<string, ReturnType<Ajv2020['compile']>>();

  constructor(contract: DescribedContract) {
    this.#contract = contract;
    this.#document = openApiDocument(contract, '3.1');
    this.#operations = listOperations(this.#document).map(({ path, method, operation }) => ({
      method,
      path: new RegExp(`^${path.split('/').map(segmentPattern).join('/')}$`),
      operation,
    }));
    this.#ajv.addSchema(closed(this.#document), 'description');
  }

  check(request: AnsweredRequest, response: Seen): void {
    const found = this.#operationOf(request);
    const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
    if (found === undefined || response.status === 308 || type === 'text/html') return;
    const where = `${request.method} ${request.target} answered ${response.status} ${response.text.slice(0, 600)}`;
    const responses = member(found.operation, 'responses');
    const status = [String(response.status), `${String(response.status)[0] ?? ''}XX`].find((each) => each in responses);
    assert.ok(status !== undefined, `the status is not described (${Object.keys(responses).join()}): ${where}`);
    const described = this.#resolved(responses[status]);
    const fields = new Set(Object.keys(member(described, 'headers')).map((name) => name.toLowerCase()));
    const unknown = [...response.headers.keys()].filter((name) => !fields.has(name) && !TRANSPORT.has(name));
    assert.deepEqual(unknown, [], `header fields that are not described: ${where}`);
    if (response.text === '' || request.method === 'HEAD') return;
    const content = member(described, 'content');
    assert.ok(type in content, `${type} is not described (${Object.keys(content).join()}): ${where}`);
    if (/[/+]json$/.test(type)) this.#checkBody(member(member(content, type), 'schema'), response.body, where);
  }

  #operationOf({ method, target }: AnsweredRequest): DescribedOperation | undefined {
    const { basePath, version } = this.#contract.model;
    const [path = ''] = target.replace(/^https?:\/\/[^/?]*/, '').split('?');
    const below = path === basePath || path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : null;
    const isVersioned = below !== null && /^\/v[0-9]+(?:\/|$)/.test(below);
    const whole = below === null || isVersioned ? path : `${basePath}/v${version.major}${below}`;
    const of = (wanted: string): DescribedOperation | undefined =>
      this.#operations.find((each) => each.method === method && each.path.test(wanted));
    return of(path) ?? of(whole);
  }

  #resolved(value: Json | undefined): JsonObject {
    const found = isJsonObject(value) && value['$ref'] !== undefined ? resolved(this.#document, value['$ref']) : value;
    return isJsonObject(found) ? found : {};
  }

  #checkBody(schema: JsonObject, body: unknown, where: string): void {
    const key = JSON.stringify(schema);
    const validate = this.#validators.get(key) ?? this.#ajv.compile(rebased(schema));
    this.#validators.set(key, validate);
    assert.ok(validate(body), `${this.#ajv.errorsText(validate.errors)}: ${where}`);
  }
}

function segmentPattern(segment: string): string {
  return segment.startsWith('{') ? '[^/]+' : RegExp.escape(segment);
}

/** The document with the objects of its schemas closed: clients accept members that are not described, tests do not. */
function closed(document: JsonObject): JsonObject {
  const components = member(document, 'components');
  const schemas = Object.entries(member(components, 'schemas')).map(([name, schema]) => [name, closedSchema(schema)]);
  return { ...document, components: { ...components, schemas: Object.fromEntries(schemas) } };
}

function closedSchema(value: Json): Json {
  if (Array.isArray(value)) return value.map(closedSchema);
  if (!isJsonObject(value)) return value;
  const { examples: _examples, default: _default, enum: _enum, ...rest } = value;
  // A part of allOf has some of the members only.
  const inner = Object.fromEntries(
    Object.entries(rest).map(([name, held]) => [name, name === 'allOf' ? held : closedSchema(held)]),
  );
  const isOpen =
    isJsonObject(value['properties']) && value['additionalProperties'] === undefined && isObjectType(value['type']);
  return {
    ...inner,
    ...(_enum === undefined ? {} : { enum: _enum }),
    ...(isOpen ? { additionalProperties: false } : {}),
  };
}

function isObjectType(type: Json | undefined): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object'));
}
