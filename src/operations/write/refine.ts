import { type ErrorDetail, MAX_DETAILS } from '../../conventions/errors.ts';
import type { Json, JsonObject } from '../../conventions/json/json.ts';
import { jsonEquals } from '../../conventions/json/json-equality.ts';
import { withWellFormedTexts } from '../../conventions/text/allowed-text.ts';
import { cut } from '../../conventions/text/quoted.ts';
import type { Refine } from '../../model/hooks.ts';
import { formatPath, type Path } from '../../model/path.ts';
import type { FieldValues, Row } from '../../plan/plan.ts';
import type { CompiledResource } from '../../contract/contract.ts';

/** The values that a library's schema made of a draft, or every error that it found. */
export type RefinedDraft =
  | { readonly kind: 'valid'; readonly values: FieldValues }
  | { readonly kind: 'invalid'; readonly details: readonly ErrorDetail[] };

/** Maximum UTF-16 code units of a library's message, which may quote a value. */
const MAX_MESSAGE = 500;

/**
 * Runs the refinements and transforms of a library's schema on valid values; those of a JSON Schema are returned as
 * they are.
 *
 * An unchanged field takes the output only if that follows from the change of another one. A transform that appends to
 * its own output must not run again for every PATCH.
 *
 * @param current the current row; null for a new one
 * @param hidden the fields that the caller may not read
 * @throws {Error} if a transform returns values that the schema does not allow: an error of the application
 */
export async function refineDraft(
  compiled: CompiledResource,
  values: FieldValues,
  current: Row | null,
  hidden: ReadonlySet<string> = new Set(),
): Promise<RefinedDraft> {
  const { resource } = compiled;
  const { refine } = resource.hooks;
  if (refine === null) return { kind: 'valid', values };
  const refined = await refine(values);
  if (refined.kind === 'refused') {
    const secrets = resource.fields.filter(({ name, writeOnly }) => writeOnly || hidden.has(name));
    const secretValues = secrets.map(({ name }) => values[name] ?? null);
    const details = refined.issues
      .slice(0, MAX_DETAILS)
      .map(({ path, message }) => detail(path, message, secretValues));
    return { kind: 'invalid', details };
  }
  if (jsonEquals(refined.values, values)) return { kind: 'valid', values };
  const output = validOutput(compiled, refined.values);
  return {
    kind: 'valid',
    values: current === null ? output : await withoutRepeats(compiled, refine, { values, output, current }),
  };
}

/** An update before and after a library's transforms. */
interface TransformedUpdate {
  readonly values: FieldValues;
  readonly output: FieldValues;
  readonly current: Row;
}

/** Removes from the output the changes that the transforms make to the current row alone. */
async function withoutRepeats(
  compiled: CompiledResource,
  refine: Refine,
  { values, output, current }: TransformedUpdate,
): Promise<FieldValues> {
  const { fields } = compiled.resource;
  const untouched = fields.filter(({ name }) => isSame(values, current, name) && !isSame(values, output, name));
  if (untouched.length === 0) return output;
  const repeated = await refine(Object.fromEntries(fields.map(({ name }) => [name, current[name] ?? null])));
  if (repeated.kind === 'refused') return output;
  const again = validOutput(compiled, repeated.values);
  const kept = untouched.filter(({ name }) => isSame(again, output, name));
  return { ...output, ...Object.fromEntries(kept.map(({ name }) => [name, values[name] ?? null])) };
}

function isSame(one: JsonObject, other: JsonObject, name: string): boolean {
  return jsonEquals(one[name] ?? null, other[name] ?? null);
}

/** Validates the output of transforms. @throws {Error} if the schema does not allow it */
function validOutput({ resource, validator }: CompiledResource, output: JsonObject): FieldValues {
  const checked = validator.check(withWellFormedTexts(output), { unknown: 'refuse', texts: 'unchecked' });
  if (checked.kind === 'valid') return checked.values;
  throw new Error(
    `a transform in the schema of ${resource.name} returned values that it does not allow: ${errorList(checked.details)}`,
  );
}

/** Writes errors of fields in one line, for the log. */
export function errorList(details: readonly ErrorDetail[]): string {
  return details.map(({ field, message }) => `${field} ${message}`).join('; ');
}

/** An error of the whole row has the field `body`. A message that quotes a secret value is replaced (REP-11). */
function detail(path: Path, message: string, secrets: readonly Json[]): ErrorDetail {
  const place = formatPath(path.map((step) => (typeof step === 'string' ? cut(step) : step)));
  if (place === '') return { field: 'body', message: cut(message, MAX_MESSAGE) };
  // ArkType begins its messages with the path, which `field` names already.
  const text = message.startsWith(`${place} `) ? message.slice(place.length + 1) : message;
  return {
    field: place,
    message: secrets.some((secret) => quotes(text, secret)) ? 'is not valid' : cut(text, MAX_MESSAGE),
  };
}

/** True if a message contains a value, or a part of it. */
function quotes(message: string, value: Json): boolean {
  if (typeof value === 'string')
    return value !== '' && (message.includes(value) || message.includes(JSON.stringify(value).slice(1, -1)));
  if (typeof value === 'number') return message.includes(String(value));
  return typeof value === 'object' && value !== null && Object.values(value).some((part) => quotes(message, part));
}
