import { lazy } from '../../cache/memoize.ts';
import { closestMatch } from '../../conventions/text/closest-match.ts';
import type { Json } from '../../conventions/json/json.ts';
import { describeReason } from '../values/messages.ts';
import { compileAssertion, dedupeViolations, type ValueViolation, violationFinder } from '../values/validator.ts';
import type { Path } from '../path.ts';
import { documentValidation } from './document-validation.ts';
import { schemaSchema, TYPES } from './field-schema.ts';
import { reportUnknownMember, type ReportProblem, suggestName } from './model-error.ts';

/** Fixes for JSON Schema keywords and members of TypeScript models that a document does not support. */
const UNSUPPORTED_KEYS: ReadonlyMap<string, string> = new Map([
  ...['oneOf', 'anyOf', 'allOf', 'if', 'then', 'else', 'not', 'dependentSchemas', 'unevaluatedProperties'].map(
    (keyword) => [keyword, 'declare a separate resource for each variant: a field has one type'] as const,
  ),
  ['patternProperties', 'declare the properties by name, or a map with additionalProperties'],
  ['propertyNames', 'declare the properties by name, or a map with additionalProperties'],
  ['prefixItems', 'use an object: all items of an array have the same type'],
  ['nullable', 'remove the field from required, or add null to its type'],
  ...['computed', 'before', 'check', 'after'].map(
    (member) => [member, 'write the model in TypeScript to declare functions'] as const,
  ),
  ['policy', 'declare access.rows'],
  ['multipleOf', 'use format: decimal with x-scale, or format: int64, or check the value in the client'],
]);

/** Keywords that people write next to the schema of a resource. */
const SCHEMA_KEYS: ReadonlySet<string> = new Set(['type', 'properties', 'required', 'additionalProperties']);

/** The fix for a member that is written at the wrong place, or is not supported; null for another one. */
function findUnsupported(path: Path, key: string): string | null {
  const isMisplaced = path.length === 3 && path[0] === 'resources' && SCHEMA_KEYS.has(key);
  return isMisplaced ? `write ${key} into schema` : (UNSUPPORTED_KEYS.get(key) ?? null);
}

/** The equivalents of types and formats of other languages and databases. */
const MEANT_TYPES: ReadonlyMap<string, string> = new Map([
  ...['decimal', 'numeric', 'money', 'currency'].map((name) => [name, 'type: string, format: decimal'] as const),
  ...['datetime', 'date-time', 'timestamp', 'timestamptz', 'instant'].map(
    (name) => [name, 'type: string, format: date-time'] as const,
  ),
  ...['date', 'time', 'duration', 'uuid', 'email', 'uri', 'hostname', 'ipv4', 'ipv6', 'int64'].map(
    (name) => [name, `type: string, format: ${name}`] as const,
  ),
  ...['bigint', 'long', 'int8', 'bigserial'].map((name) => [name, 'type: string, format: int64'] as const),
  ...['int', 'int32', 'smallint', 'serial', 'short'].map((name) => [name, 'type: integer'] as const),
  ...['float', 'double', 'real', 'float64'].map((name) => [name, 'type: number'] as const),
  ...['text', 'str', 'varchar', 'char'].map((name) => [name, 'type: string'] as const),
  ...['url', 'link'].map((name) => [name, 'type: string, format: uri'] as const),
  ['bool', 'type: boolean'],
  ['enum', 'type: string, enum: [...]'],
  ['list', 'type: array, items: { type: ... }'],
  ['map', 'type: object, additionalProperties: { type: ... }'],
  ...['jsonb', 'any', 'variant', 'mixed'].map((name) => [name, 'type: json'] as const),
]);
const MEANT_FORMATS: ReadonlyMap<string, string> = new Map([
  ...['datetime', 'timestamp'].map((name) => [name, 'date-time'] as const),
  ...['url', 'link'].map((name) => [name, 'uri'] as const),
  ...['numeric', 'money'].map((name) => [name, 'decimal'] as const),
  ...['bigint', 'long'].map((name) => [name, 'int64'] as const),
  ['guid', 'uuid'],
  ['mail', 'email'],
]);

/** Suggests a type or a format for one of another language; null for every other member. */
function meantBy(key: string, value: unknown): string | null {
  if (typeof value !== 'string' || (key !== 'type' && key !== 'format')) return null;
  const name = value.toLowerCase();
  if (key === 'format') return MEANT_FORMATS.has(name) ? `format: ${MEANT_FORMATS.get(name)}` : null;
  const close = closestMatch(name, TYPES);
  return MEANT_TYPES.get(name) ?? (close === null ? null : `type: ${close}`);
}

const documentViolations = lazy(() => violationFinder(documentValidation()));
const schemaViolations = lazy(() => compileAssertion({ $ref: '#/$defs/schema', $defs: { schema: schemaSchema } }));

/** A description within a sentence: `The resources by name` begins in lower case, `CORS` does not. */
function continued(description: string): string {
  return description.replace(/^[A-Z](?=[a-z]* )/, (letter) => letter.toLowerCase());
}

/** Validates a document against its JSON Schema and reports all violations. */
export function checkDocument(value: Json, report: ReportProblem): void {
  reportViolations(documentViolations()(value), [], report);
}

/** Validates a schema that is not part of the document and reports all violations. Returns whether it is valid. */
export function checkSchema(value: Json, path: Path, report: ReportProblem): boolean {
  const violations = schemaViolations()(value);
  reportViolations(violations, path, report);
  return violations.length === 0;
}

function reportViolations(violations: readonly ValueViolation[], at: Path, report: ReportProblem): void {
  for (const { reason, description, value, ...violation } of dedupeViolations(violations)) {
    const path = [...at, ...violation.path];
    const key = path.length === 0 ? 'the document' : String(path.at(-1));
    const unsupported = reason.kind === 'unknown' ? findUnsupported(path, key) : null;
    if (unsupported !== null) report(path, `${key} is not supported here`, unsupported);
    else if (reason.kind === 'unknown') {
      reportUnknownMember(report, path, suggestName(key, reason.known, 'remove it'));
    } else {
      const meant = meantBy(key, value);
      const fix = description === null ? 'correct the value' : `expected: ${continued(description)}`;
      const isEmpty = path.length === 0 && value === null;
      if (meant === null) report(path, `${key} ${isEmpty ? 'is empty' : describeReason(reason, value)}`, fix);
      else report(path, `there is no ${key} of this name`, `write ${meant}`);
    }
  }
}
