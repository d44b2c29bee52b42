import type { Json } from '../../conventions/json.ts';
import { describeReason } from '../values/messages.ts';
import type { Path } from '../values/path.ts';
import {
  compileAssertion,
  dedupeViolations,
  type FindViolations,
  type ValueViolation,
  violationFinder,
} from '../values/validator.ts';
import { documentValidation } from './document-validation.ts';
import { schemaSchema } from './field-schema.ts';
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
  ...['computed', 'before', 'check', 'after', 'policy'].map(
    (member) => [member, 'write the model in TypeScript to declare functions'] as const,
  ),
  ['multipleOf', 'use format: decimal with x-scale, or format: int64, or check the value in the client'],
]);

let documentViolations: FindViolations | null = null;
let schemaViolations: FindViolations | null = null;

/** Validates a document against its JSON Schema and reports all violations. */
export function checkDocument(value: Json, report: ReportProblem): void {
  documentViolations ??= violationFinder(documentValidation());
  reportViolations(documentViolations(value), [], report);
}

/** Validates a schema that is not part of the document and reports all violations. Returns whether it is valid. */
export function checkSchema(value: Json, path: Path, report: ReportProblem): boolean {
  schemaViolations ??= compileAssertion({ $ref: '#/$defs/schema', $defs: { schema: schemaSchema } });
  const violations = schemaViolations(value);
  reportViolations(violations, path, report);
  return violations.length === 0;
}

function reportViolations(violations: readonly ValueViolation[], at: Path, report: ReportProblem): void {
  for (const { reason, description, value, ...violation } of dedupeViolations(violations)) {
    const path = [...at, ...violation.path];
    const key = path.length === 0 ? 'the document' : String(path.at(-1));
    const unsupported = reason.kind === 'unknown' ? UNSUPPORTED_KEYS.get(key) : undefined;
    if (unsupported !== undefined) report(path, `${key} is not supported here`, unsupported);
    else if (reason.kind === 'unknown') {
      reportUnknownMember(report, path, suggestName(key, reason.known, 'remove it'));
    } else {
      const fix = description === null ? 'correct the value' : `expected: ${description}`;
      report(path, `${key} ${describeReason(reason, value)}`, fix);
    }
  }
}
