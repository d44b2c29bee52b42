import { isJsonObject, type Json, type JsonObject } from '../../../conventions/json/json.ts';
import { ConversionError } from '../../values/conversion-error.ts';
import { storedForm } from '../../values/stored-form.ts';
import { checkSent, checkShown, checkTexts, type DataConversion, findFields, reportPair } from './data-checks.ts';
import { findConversion } from './scalar-conversions.ts';

/** The functions of a change, which are not called for unset values. */
export interface ConversionFunctions {
  /** @throws {ConversionError} the value has no counterpart */
  readonly up: (value: Json) => Json;
  readonly down: (value: Json) => Json;
}

/** Makes the functions of a `split` by a separator. Reports what the older version could not show. */
export function splitBySeparator(declared: DataConversion, separator: string): ConversionFunctions {
  const { older, newer } = declared;
  const name = older[0]?.name ?? '';
  const needed = findFields(declared).findLastIndex(({ nullable }) => !nullable) + 1;
  const up = (text: Json): JsonObject => {
    const parts = splitText(text, separator, newer);
    if (newer.slice(0, needed).some((part) => parts[part] === null)) {
      const message = `must have at least ${needed} parts with ${JSON.stringify(separator)} between them`;
      throw refuse(declared, name, message);
    }
    return parts;
  };
  const down = (parts: Json): string => joinTexts(parts, separator, newer);
  checkTexts(declared);
  checkShown(declared, { down: (parts) => ({ [name]: down(parts) }), optional: [], cure: null });
  checkSent(declared, (values) => up(values[name] ?? null));
  return { up, down };
}

/** Makes the functions of a `join` by a separator. Reports what the older version could not show. */
export function joinBySeparator(declared: DataConversion, separator: string): ConversionFunctions {
  const names = declared.older.map(({ name }) => name);
  const down = (text: Json): JsonObject => splitText(text, separator, names);
  const up = (parts: Json): string => {
    const joined = joinTexts(parts, separator, names);
    const shown = splitText(joined, separator, names);
    const given = isJsonObject(parts) ? parts : {};
    const other = names.find((name) => shown[name] !== (given[name] ?? null));
    if (other === undefined) return joined;
    const unset = names.find((name) => (given[name] ?? null) === null);
    const isGap =
      unset !== undefined && names.slice(names.indexOf(unset)).some((name) => (given[name] ?? null) !== null);
    if (isGap) throw refuse(declared, unset, 'must have a value where a field after it has one');
    const end = separator.length === 1 ? '' : ', nor end with a part of it';
    throw refuse(declared, other, `must not contain ${JSON.stringify(separator)}${end}`);
  };
  checkTexts(declared);
  checkShown(declared, { down, optional: names.slice(1), cure: null });
  checkSent(declared, up);
  return { up, down };
}

/** Makes the functions of a `type` without functions. Reports values that the older version could not show. */
export function convertScalar(declared: DataConversion): ConversionFunctions {
  const none: ConversionFunctions = { up: () => null, down: () => null };
  const [field] = findFields(declared);
  const [source] = declared.older;
  if (field === undefined || source === undefined) return none;
  const { name, shape } = source;
  const [upward, downward] = [findConversion(shape.type, field.type), findConversion(field.type, shape.type)];
  if (upward === null || downward === null) {
    reportPair(declared, source, field);
    return none;
  }
  const [older, newer] = [storedForm(shape), storedForm(field)];
  const down = (value: Json): Json => {
    const shown = downward.convert(value);
    return shown === undefined ? null : older(shown);
  };
  const up = (value: Json): Json => {
    const sent = older(value);
    const meant = newer(upward.convert(sent) ?? null);
    // A value that would be shown in another form would be lost.
    if (meant === null || down(meant) !== sent) throw refuse(declared, name, upward.message);
    return meant;
  };
  checkShown(declared, { down: (value) => ({ [name]: down(newer(value)) }), optional: [], cure: downward.cure });
  checkSent(declared, (values) => up(values[name] ?? null));
  return { up, down };
}

function refuse({ resource, step }: DataConversion, field: string, message: string): ConversionError {
  return new ConversionError(message, { version: step.older, resource: resource.name, field });
}

/** Splits a text into as many parts as there are names. The last part has the rest; parts that lack are null. */
function splitText(text: Json, separator: string, names: readonly string[]): JsonObject {
  const parts: string[] = [];
  let rest = typeof text === 'string' ? text : null;
  while (rest !== null && parts.length < names.length - 1) {
    const end: number = rest.indexOf(separator);
    if (end === -1) break;
    parts.push(rest.slice(0, end));
    rest = rest.slice(end + separator.length);
  }
  if (rest !== null) parts.push(rest);
  return Object.fromEntries(names.map((name, index) => [name, parts[index] ?? null]));
}

/** Joins the parts that are set. */
function joinTexts(parts: Json, separator: string, names: readonly string[]): string {
  const texts = names.map((name) => (isJsonObject(parts) ? parts[name] : null));
  return texts.filter((text) => typeof text === 'string').join(separator);
}
