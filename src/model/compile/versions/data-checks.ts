import type { Json, JsonObject } from '../../../conventions/json/json.ts';
import { jsonEquals } from '../../../conventions/json/json-equality.ts';
import type { Field, Resource, Shape } from '../../model.ts';
import { ConversionError } from '../../values/conversion-error.ts';
import { formatValue } from '../../values/messages.ts';
import type { Path } from '../../path.ts';
import { schemaAt } from './field-paths.ts';
import { listedValues, valueKey } from './listed-values.ts';
import { needsValue } from '../../needs-value.ts';
import { mayBeUnset } from './older-schema.ts';
import { CONVERTED_PAIRS, type Cure, scalarKind } from './scalar-conversions.ts';
import type { VersionStep } from './version-step.ts';

/** A field of the older version, as declared. */
export interface OlderField {
  readonly name: string;
  readonly schema: JsonObject;
  readonly shape: Shape;
  readonly path: Path;
}

/** A conversion without functions, as declared. */
export interface DataConversion {
  readonly resource: Resource;
  readonly older: readonly OlderField[];
  /** The names of the fields of the successor. */
  readonly newer: readonly string[];
  readonly path: Path;
  readonly step: VersionStep;
}

/** The values of a conversion that the older version shows. */
interface Shown {
  readonly down: (value: Json) => JsonObject;
  /** The fields of the older version that some values leave unset. */
  readonly optional: readonly string[];
  /** A change of the model after which each value has a counterpart; null if each has one. */
  readonly cure: Cure | null;
}

const FUNCTIONS = 'declare up and down in a TypeScript model';

/** The fields of the successor. The ones that do not exist are reported elsewhere. */
export function findFields({ resource, newer }: DataConversion): readonly Field[] {
  return newer.flatMap((name) => resource.field.get(name) ?? []);
}

/** Reports fields that are no texts, which a separator cannot split or join, and less than two on the longer side. */
export function checkTexts(declared: DataConversion): void {
  const { older: fields, newer, path, step } = declared;
  const { older, successor, report } = step;
  for (const { name, shape, path: at } of fields) {
    if (scalarKind(shape.type) === 'text') continue;
    report(at, `${name} of ${older} is not plain text, as a separator needs`, `write type: string, or ${FUNCTIONS}`);
  }
  for (const { name, type } of findFields(declared)) {
    if (type.kind === 'text') continue;
    report(path, `${name} of ${successor} is not a string, as a separator needs`, FUNCTIONS);
  }
  if (fields.length < 2 && newer.length < 2) report(path, 'one field for one has no separator', 'use rename or type');
}

/** Reports a pair of types that has no conversion. */
export function reportPair({ newer, path, step }: DataConversion, { name, shape }: OlderField, field: Field): void {
  const { older, successor, report } = step;
  const [from, to] = [scalarKind(shape.type) ?? formatKind(shape), scalarKind(field.type) ?? formatKind(field)];
  const cause = `${name} of ${older}, ${from}, and ${newer.join()} of ${successor}, ${to}, have no conversion`;
  const fix = from === to ? `use rename, or ${FUNCTIONS}` : FUNCTIONS;
  report(path, `${cause}; there is one for ${CONVERTED_PAIRS}`, fix);
}

function formatKind({ type }: Shape): string {
  return type.kind === 'text' && type.format !== null ? type.format : type.kind;
}

/** Reports stored values for which the older version would have nothing to show. */
export function checkShown(declared: DataConversion, { down, optional, cure }: Shown): void {
  const fields = findFields(declared);
  const values = listStored(declared, fields);
  if (values === null) {
    if (cure !== null) reportCure(declared, cure);
    for (const field of declared.older) if (listedValues(field.schema) !== null) reportList(declared, field);
  }
  const shown = (values ?? []).map((value) => ({ value, parts: down(value) }));
  if (cure !== null) checkCounterparts(declared, shown);
  for (const field of declared.older) {
    const { name, schema } = field;
    const isUnset = values === null ? optional.includes(name) : shown.some(({ parts }) => parts[name] === null);
    if (fields.every(({ nullable }) => nullable) || (isUnset && cure === null)) checkUnset(declared, field, fields);
    const list = listedValues(schema)?.map(valueKey);
    const isListed = (value: Json): boolean => value === null || (list?.includes(valueKey(value)) ?? true);
    if (!shown.every(({ parts }) => isListed(parts[name] ?? null))) reportList(declared, field);
  }
}

/** The values that the only field of the successor lists; null if it lists none. */
function listStored({ resource }: DataConversion, fields: readonly Field[]): readonly Json[] | null {
  const [field, ...others] = fields;
  if (field === undefined || others.length > 0) return null;
  return listedValues(schemaAt(resource.schema, field.name)) ?? (field.type.kind === 'boolean' ? [true, false] : null);
}

function reportCure({ older: [field], newer, path, step }: DataConversion, { side, text }: Cure): void {
  if (field === undefined) return;
  const { older, successor, report } = step;
  const cause = `${older} has nothing to show in ${field.name} for some values that ${newer.join()} can have in ${successor}`;
  const cure = side === 'source' ? `${text} in ${successor}` : `remove ${text} from the schema of ${older}`;
  report(path, cause, `${cure}, or ${FUNCTIONS}`);
}

function checkCounterparts(
  { older: [field], newer, path, step }: DataConversion,
  shown: readonly { readonly value: Json; readonly parts: JsonObject }[],
): void {
  const { older, successor, report } = step;
  for (const { value, parts } of shown) {
    if (field === undefined || parts[field.name] !== null) continue;
    const cause = `${older} has nothing to show in ${field.name} for ${formatValue(value)} of ${newer.join()} in ${successor}`;
    report(path, cause, `remove the value from the enum, or ${FUNCTIONS}`);
  }
}

function reportList({ newer, step }: DataConversion, { name, schema, path }: OlderField): void {
  const { older, successor, report } = step;
  const cause = `${name} of ${older} lists its values, and ${successor} can have others in ${newer.join(' and ')}`;
  report([...path, listKeyword(schema)], cause, `remove it, or list the same values in ${successor}`);
}

function listKeyword(schema: JsonObject): string {
  return 'const' in schema ? 'const' : 'enum';
}

/** Reports a required field of the older version that rows may leave unset. */
function checkUnset(
  { newer, step }: DataConversion,
  { name, schema, path }: OlderField,
  fields: readonly Field[],
): void {
  if (!fields.some(needsValue) || mayBeUnset(schema)) return;
  const { older, successor, report } = step;
  const cause = `${older} requires ${name}, which some values of ${newer.join(' and ')} in ${successor} leave unset`;
  report([...path, 'type'], cause, "add 'null' to its type, such as type: [string, 'null']");
}

/**
 * Reports defaults and listed values of the older version that no client could send.
 *
 * @param up gets the values of the fields of the older version by name
 */
export function checkSent(
  { older: fields, path: at, step }: DataConversion,
  up: (values: JsonObject) => unknown,
): void {
  const { older, successor, report } = step;
  const check = (values: JsonObject, path: Path): void => {
    const sent = Object.values(values).filter((value) => value !== null);
    const error = sent.length === 0 ? null : findError(() => up(values));
    if (error === null) return;
    const cause = `${sent.map(formatValue).join(' and ')} of ${older} has no counterpart in ${successor}: it ${error}`;
    report(path, cause, 'remove it, or write another value');
  };
  const defaults = Object.fromEntries(fields.map(({ name, schema }) => [name, schema['default'] ?? null]));
  const [field, ...others] = fields;
  if (field === undefined || others.length > 0) return check(defaults, at);
  const { name, schema, path } = field;
  for (const value of listedValues(schema) ?? []) check({ [name]: value }, [...path, listKeyword(schema)]);
  check(defaults, [...path, 'default']);
}

/**
 * Finds the default of the older version's field that follows from those of its successor: a create without the field
 * means the same in both. Reports defaults that the model has to say.
 */
export function showDefaults(
  declared: DataConversion,
  { up, down }: { readonly up: (values: JsonObject) => JsonObject; readonly down: (values: JsonObject) => JsonObject },
): JsonObject {
  const { older: fields, newer, path, step } = declared;
  const stored = findFields(declared);
  const initial = Object.fromEntries(stored.map((field) => [field.name, field.default ?? null]));
  const isDeclared = fields.some(({ schema }) => schema['default'] !== undefined);
  if (isDeclared || Object.values(initial).every((value) => value === null)) return {};
  const shown = down(initial);
  const isSame = findError(() => up(shown)) === null && jsonEquals(up(shown), initial);
  if (isSame && fields.length === 1) return shown;
  // A field that clients have to send needs no default.
  if (!isSame && stored.some(needsValue)) return {};
  const names = fields.map(({ name }) => name).join(' and ');
  const cause = `${step.successor} has a default for ${newer.join(' and ')}, and ${step.older} has none for ${names}`;
  const texts = fields.map(({ name }) => {
    const value = isSame ? (shown[name] ?? null) : null;
    return `default: ${formatValue(value)} to the schema of ${name}`;
  });
  step.report(path, cause, `add ${texts.join(' and ')}`);
  return {};
}

/** Runs a conversion. Returns the error message of a value without a counterpart; null for other values. */
function findError(convert: () => unknown): string | null {
  try {
    convert();
    return null;
  } catch (error) {
    if (error instanceof ConversionError) return error.message;
    throw error;
  }
}
