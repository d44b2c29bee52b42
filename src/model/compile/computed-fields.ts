import { isJsonObject, type Json, type JsonObject } from '../../conventions/json.ts';
import type { CodeReader } from '../typescript/code-reader.ts';
import { checkSchema } from '../document/check-document.ts';
import type { ReportProblem } from '../document/model-error.ts';
import { RESERVED_FIELDS } from './fields.ts';
import { plainSchema } from '../typescript/library-schema.ts';
import type { ComputedField, Field } from '../model.ts';
import type { Path } from '../values/path.ts';
import { resolveReferences } from './resolve-refs.ts';
import { compileShape } from './field-types.ts';
import { suggestName } from '../document/unknown-name.ts';

const FIELD_NAME = /^[a-z][a-z0-9_]*$/;
const MEMBERS = ['schema', 'from', 'value'];

/** What computed members are compiled beside. */
export interface ComputedInputs {
  readonly fields: readonly Field[];
  /** The document: its definitions may be referred to. */
  readonly document: JsonObject;
  readonly report: ReportProblem;
}

/**
 * Compiles the computed members of a resource: their names are those of fields (REP-12), their schemas what a value of a field may have, and
 * what they read may be read by anybody who sees the resource.
 *
 * @param path of the members
 */
export function compileComputedFields(
  declared: unknown,
  path: Path,
  read: CodeReader,
  surroundings: ComputedInputs,
): readonly ComputedField[] {
  return read.members(declared, path).flatMap(([name, value]) => {
    const field = checkComputedName(name, [...path, name], surroundings)
      ? compileComputedField(name, value, [...path, name], read, surroundings)
      : null;
    return field === null ? [] : [field];
  });
}

function checkComputedName(name: string, path: Path, { fields, report }: ComputedInputs): boolean {
  const isField = fields.some((field) => field.name === name);
  if (FIELD_NAME.test(name) && !RESERVED_FIELDS.has(name) && !isField) return true;
  const cause = isField ? `${name} is a field already` : `${name} cannot be the name of a member`;
  report(path, cause, 'choose another name, in lower case with underscores');
  return false;
}

function compileComputedField(
  name: string,
  declared: unknown,
  path: Path,
  read: CodeReader,
  surroundings: ComputedInputs,
): ComputedField | null {
  const members = new Map(read.known(declared, path, MEMBERS));
  const value = read.callable(members.get('value'), [...path, 'value']);
  const schema = compileComputedSchema(members.get('schema'), [...path, 'schema'], surroundings);
  const from = compileFrom(members.get('from'), [...path, 'from'], surroundings);
  if (value === null || schema === null) return null;
  if (Object.prototype.toString.call(value) !== '[object Function]') {
    const fix = 'work it out from the row alone; what takes time belongs into before';
    surroundings.report([...path, 'value'], 'a computed value is there at once', fix);
  }
  const shape = compileShape({ declared: schema, path: [...path, 'schema'], report: surroundings.report }, 'inner');
  return { ...shape, name, schema, from, value };
}

function compileComputedSchema(declared: unknown, path: Path, { document, report }: ComputedInputs): JsonObject | null {
  const schema: Json = declared === undefined ? null : plainSchema(declared, path, report);
  if (isJsonObject(schema)) {
    return checkSchema(schema, path, report) ? resolveReferences(schema, document, path, report) : null;
  }
  report(path, 'the values have no schema', "write a JSON Schema of them, such as { type: 'number' }");
  return null;
}

/** A value that is worked out from what never leaves would tell it (REP-11). */
function compileFrom(declared: unknown, path: Path, { fields, report }: ComputedInputs): readonly string[] {
  const readable = fields.filter(({ writeOnly }) => !writeOnly).map(({ name }) => name);
  const names = Array.isArray(declared) ? declared.map(String) : [];
  if (names.length === 0) report(path, 'from names no field', 'list the fields that the value is worked out from');
  for (const [index, name] of names.entries()) {
    if (!readable.includes(name)) {
      report([...path, index], `${name} is no field that may be read`, suggestName(name, readable));
    }
  }
  return names;
}
