import type { Json } from '../conventions/json.ts';
import { nearest } from '../conventions/nearest.ts';
import { documentSchema } from './document-schema.ts';
import type { Report } from './fault.ts';
import { compileAssertion } from './validator.ts';
import { describeReason, settle, type Violation } from './violation.ts';

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

let violationsOf: ((value: unknown) => readonly Violation[]) | null = null;

/** Holds a document against its JSON Schema and announces every place where it breaks it. */
export function checkDocument(value: Json, report: Report): void {
  violationsOf ??= compileAssertion(documentSchema);
  for (const violation of settle(violationsOf(value))) {
    const { path, reason, description } = violation;
    const key = String(path.at(-1));
    if (reason.kind === 'unknown') report(path, `${key} is not known here`, unknownFix(key, reason.known));
    else report(path, causeOf(violation), description === null ? 'correct it' : `give: ${description}`);
  }
}

function causeOf({ path, reason, value }: Violation): string {
  return `${path.length === 0 ? 'the document' : String(path.at(-1))} ${describeReason(reason, value)}`;
}

function unknownFix(key: string, known: readonly string[]): string {
  const meant = nearest(key, known);
  return NOT_TAKEN.get(key) ?? (meant === null ? 'remove it' : `write ${meant}`);
}
