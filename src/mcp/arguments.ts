import { weakMemoize } from '../cache/memoize.ts';
import { apiError, type ErrorDetail } from '../conventions/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../conventions/json/json.ts';
import { closestMatch } from '../conventions/text/closest-match.ts';
import type { QueryPairs } from '../conventions/url/query.ts';
import { quoted } from '../conventions/text/quoted.ts';
import type { ArgumentType, Tool } from './tools.ts';

const FORMS: Readonly<Record<ArgumentType, string>> = {
  string: 'a string',
  text: 'a string',
  id: 'the id of a row',
  match: 'the revision of the row, or its ETag',
  integer: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
};

/** Arguments that their own guards require, which say more than that they are missing. */
const GUARDED: ReadonlySet<string> = new Set(['if_match', 'idempotency_key']);

/**
 * Checks the names and types of the arguments of a call.
 *
 * @throws {ApiError} REQUEST_PARAMETER_UNKNOWN, REQUEST_PARAMETER_INVALID
 */
export function checkArguments(tool: Tool, given: JsonObject): void {
  const { name, required } = tool;
  const known = knownArguments(tool);
  const unknown = Object.keys(given).filter((each) => !known.has(each));
  if (unknown.length > 0) throw unknownArguments(name, unknown, [...known.keys()]);
  const details: ErrorDetail[] = [];
  for (const field of required)
    if (given[field] === undefined && !GUARDED.has(field))
      details.push({ field, message: `is required: ${FORMS[known.get(field) ?? 'string']}` });
  for (const [field, type] of known) {
    const value = given[field];
    if (value !== undefined && !hasType(value, type)) details.push({ field, message: `must be ${FORMS[type]}` });
  }
  if (details.length === 0) return;
  const list = details.map(({ field, message }) => `${field} ${message}`).join('; ');
  throw apiError('REQUEST_PARAMETER_INVALID', `Invalid arguments of ${name}: ${list}.`, { details });
}

const knownArguments = weakMemoize(
  ({ inputs, unlisted = {} }: Tool): ReadonlyMap<string, ArgumentType> =>
    new Map([...Object.entries(inputs), ...Object.entries(unlisted)]),
);

function unknownArguments(tool: string, unknown: readonly string[], known: readonly string[]): Error {
  const details = unknown.map((field) => {
    const near = closestMatch(field, known);
    return { field, message: near === null ? `is no argument of ${tool}` : `is unknown; did you mean ${near}?` };
  });
  const names = unknown.map((each) => quoted(each)).join(', ');
  const message = `Unknown arguments of ${tool}: ${names}. It takes ${known.join(', ') || 'none'}.`;
  return apiError('REQUEST_PARAMETER_UNKNOWN', message, { details });
}

function hasType(value: Json, type: ArgumentType): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'text':
      return typeof value === 'string' || (Array.isArray(value) && value.every((each) => typeof each === 'string'));
    case 'id':
      return typeof value === 'string' || Number.isSafeInteger(value);
    case 'match':
      return typeof value === 'string' || Number.isSafeInteger(value);
    case 'integer':
      return Number.isSafeInteger(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'object':
      return isJsonObject(value);
    case 'array':
      return Array.isArray(value);
  }
}

/** Reads a text argument; null if it is absent. A list is joined by commas. */
export function readTextArgument(given: JsonObject, name: string): string | null {
  const value = given[name];
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

/** True if a call only checks its write. */
export function isDryRun(given: JsonObject): boolean {
  return given['dry_run'] === true;
}

/** Writes the parameter of a dry run; none for a write that is made. */
export function writeDryQuery(given: JsonObject): QueryPairs {
  return isDryRun(given) ? [['dry_run', 'true']] : [];
}

/** Reads an argument that is an object; an empty one if it is absent. */
export function readMembers(given: JsonObject, name: string): JsonObject {
  const value = given[name];
  return isJsonObject(value) ? value : {};
}
