import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';
import { type MaybePromise } from '../../platform/maybe-promise.ts';
import type { Member, Shape } from '../model.ts';
import type { Refine, RefinementIssue } from '../hooks.ts';

/**
 * The result of a library's validation: the transformed value, or the issues; see `StandardSchemaV1` of Standard
 * Schema.
 */
export interface StandardResult {
  readonly value?: unknown;
  readonly issues?: readonly StandardIssue[] | undefined;
}

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** `~standard.validate` of a schema of a library. */
export type StandardValidate = (value: unknown) => MaybePromise<StandardResult>;

/**
 * Compiles the validation of a library.
 *
 * For a library an unset member is absent; here it is null or an empty array (REP-4).
 * Optional unset members are omitted, and members that the library omits become null.
 * A member with a default that the caller has unset stays unset.
 *
 * @param members those of the library's schema
 */
export function compileRefine(validate: StandardValidate, members: readonly Member[]): Refine {
  return async (values) => {
    const { issues, value } = await validate(withoutUnset(members, values));
    if (issues !== undefined) return { kind: 'refused', issues: issues.map(readIssue) };
    const output = asObject(value);
    if (output === null) throw new Error(`the schema of a library returned ${typeof value} instead of an object`);
    return { kind: 'refined', values: { ...values, ...withUnset(members, values, output) } };
  };
}

function readIssue({ message, path = [] }: StandardIssue): RefinementIssue {
  const steps = path.map((step) => (typeof step === 'object' ? step.key : step));
  return { message, path: steps.map((step) => (typeof step === 'number' ? step : String(step))) };
}

/** The members of an object as a library expects them. */
function withoutUnset(members: readonly Member[], values: JsonObject): Record<string, Json> {
  const given: Record<string, Json> = {};
  for (const member of members) {
    const value = values[member.name] ?? null;
    if (!isUnset(member, value)) given[member.name] = partsWithoutUnset(member, value);
  }
  return given;
}

function partsWithoutUnset({ type }: Shape, value: Json): Json {
  if (type.kind === 'object' && isJsonObject(value)) return withoutUnset(type.members, value);
  if (type.kind === 'array' && Array.isArray(value)) return value.map((item) => partsWithoutUnset(type.item, item));
  if (type.kind !== 'map' || !isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, partsWithoutUnset(type.value, held)]));
}

function isUnset(member: Member, value: Json): boolean {
  if (member.required) return false;
  return value === null || (member.default === undefined && Array.isArray(value) && value.length === 0);
}

/** Adds the absent members to the value of a library. Undeclared members stay, so that validation reports them. */
function withUnset(members: readonly Member[], before: JsonObject, output: JsonObject): JsonObject {
  const values: Record<string, Json> = { ...output };
  for (const member of members) {
    const { name, type, default: fallback } = member;
    const [given, returned] = [before[name] ?? null, output[name] ?? null];
    if (fallback !== undefined && given === null) values[name] = null;
    else if (type.kind === 'object' && isJsonObject(given) && isJsonObject(returned))
      values[name] = withUnset(type.members, given, returned);
    else values[name] = returned;
  }
  return values;
}

/** An object that a library returned. Its members are unknown until they are validated. */
function asObject(value: unknown): JsonObject | null {
  return isObjectOfMembers(value) ? value : null;
}

function isObjectOfMembers(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
