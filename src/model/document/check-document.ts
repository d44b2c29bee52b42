import type { Json } from '../../conventions/json.ts';
import { documentValidation } from './document-validation.ts';
import type { ReportProblem } from './model-error.ts';
import { schemaSchema } from './field-schema.ts';
import type { Path } from '../values/path.ts';
import { suggestName, reportUnknownMember } from './unknown-name.ts';
import { compileAssertion, type FindViolations, violationFinder } from '../values/validator.ts';
import { describeReason, dedupeViolations, type Violation } from '../values/violation.ts';

/** What to do about keys that JSON Schema knows and a model does not take. */
const NOT_TAKEN: ReadonlyMap<string, string> = new Map([
  ...['oneOf', 'anyOf', 'allOf', 'if', 'then', 'else', 'not', 'dependentSchemas', 'unevaluatedProperties'].map(
    (keyword) => [keyword, 'split the resource: a field has one shape'] as const,
  ),
  ['patternProperties', 'declare the properties by name, or a map by additionalProperties'],
  ['propertyNames', 'declare the properties by name, or a map by additionalProperties'],
  ['prefixItems', 'make the list an object: its items have one shape'],
  ['nullable', 'leave the field out of required, or add null to its type'],
  ...['computed', 'before', 'check', 'after', 'policy'].map(
    (member) => [member, 'write the model in TypeScript: it is code'] as const,
  ),
  ['multipleOf', 'use format: decimal with x-scale, or format: int64, or check it in the client'],
]);

let documentViolations: FindViolations | null = null;
let schemaViolations: FindViolations | null = null;

/** Holds a document against its JSON Schema and announces every place where it breaks it. */
export function checkDocument(value: Json, report: ReportProblem): void {
  documentViolations ??= violationFinder(documentValidation());
  announce(documentViolations(value), [], report);
}

/** Holds a schema that stands outside of the document, at a path of its own, to what schemas in documents may say. Whether it keeps to it. */
export function checkSchema(value: Json, path: Path, report: ReportProblem): boolean {
  schemaViolations ??= compileAssertion({ $ref: '#/$defs/schema', $defs: { schema: schemaSchema } });
  const violations = schemaViolations(value);
  announce(violations, path, report);
  return violations.length === 0;
}

function announce(violations: readonly Violation[], at: Path, report: ReportProblem): void {
  for (const { reason, description, value, ...violation } of dedupeViolations(violations)) {
    const path = [...at, ...violation.path];
    const key = path.length === 0 ? 'the document' : String(path.at(-1));
    if (reason.kind === 'unknown')
      reportUnknownMember(report, path, NOT_TAKEN.get(key) ?? suggestName(key, reason.known, 'remove it'));
    else {
      const fix = description === null ? 'correct it' : `give: ${description}`;
      report(path, `${key} ${describeReason(reason, value)}`, fix);
    }
  }
}
