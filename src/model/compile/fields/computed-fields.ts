import { isJsonObject, type Json, type JsonObject } from '../../../conventions/json/json.ts';
import { checkSchema } from '../../document/check-document.ts';
import { type ReportProblem, suggestName } from '../../document/model-error.ts';
import type { ComputedField, Field } from '../../model.ts';
import { plainSchema } from '../../typescript/library-schema.ts';
import type { CodeReader } from '../../typescript/module-values.ts';
import type { Path } from '../../path.ts';
import { compileShape } from './field-types.ts';
import { RESERVED_FIELDS } from './names.ts';
import { resolveReferences } from './resolve-refs.ts';

const FIELD_NAME = /^[a-z][a-z0-9_]*$/;
const MEMBERS = ['schema', 'from', 'value'];

/** The context of compiling the computed members of a resource. */
interface ComputedInputs {
  readonly fields: readonly Field[];
  /** The whole document, for its definitions. */
  readonly document: JsonObject;
  readonly reader: CodeReader;
  readonly report: ReportProblem;
}

/**
 * Compiles the computed members of a resource. Their names follow the rules for fields (REP-12), their schemas those
 * for values. They can only be computed from readable fields (REP-11).
 *
 * @param path of `computed`
 */
export function compileComputedFields(declared: unknown, path: Path, inputs: ComputedInputs): readonly ComputedField[] {
  return inputs.reader.members(declared, path).flatMap(([name, value]) => {
    const at = [...path, name];
    const field = checkComputedName(name, at, inputs) ? compileComputedField(name, value, at, inputs) : null;
    return field === null ? [] : [field];
  });
}

function checkComputedName(name: string, path: Path, { fields, report }: ComputedInputs): boolean {
  const isField = fields.some((field) => field.name === name);
  if (FIELD_NAME.test(name) && !RESERVED_FIELDS.has(name) && !isField) return true;
  const cause = isField ? `there is already a field ${name}` : `${name} is not a valid name for a computed member`;
  report(path, cause, 'choose another name in snake_case');
  return false;
}

function compileComputedField(
  name: string,
  declared: unknown,
  path: Path,
  inputs: ComputedInputs,
): ComputedField | null {
  const { reader, report } = inputs;
  const members = new Map(reader.known(declared, path, MEMBERS));
  const value = reader.callable(members.get('value'), [...path, 'value']);
  const schema = compileComputedSchema(members.get('schema'), [...path, 'schema'], inputs);
  const from = compileFrom(members.get('from'), [...path, 'from'], inputs);
  if (value === null || schema === null) return null;
  if (Object.prototype.toString.call(value) !== '[object Function]') {
    const fix = 'return the value synchronously; do asynchronous work in a before hook';
    report([...path, 'value'], 'the function is asynchronous', fix);
  }
  const shape = compileShape({ declared: schema, path: [...path, 'schema'], report }, 'inner');
  return { ...shape, name, schema, from, value };
}

function compileComputedSchema(declared: unknown, path: Path, { document, report }: ComputedInputs): JsonObject | null {
  const schema: Json = declared === undefined ? null : plainSchema(declared, path, report);
  if (isJsonObject(schema)) {
    return checkSchema(schema, path, report) ? resolveReferences(schema, document, path, report) : null;
  }
  report(path, 'the computed member has no schema', "add a JSON Schema, such as { type: 'number' }");
  return null;
}

/** Write-only fields are excluded: the computed value could expose them (REP-11). */
function compileFrom(declared: unknown, path: Path, { fields, report }: ComputedInputs): readonly string[] {
  const readable = fields.filter(({ writeOnly }) => !writeOnly).map(({ name }) => name);
  const names = Array.isArray(declared) ? declared.map(String) : [];
  if (names.length === 0) report(path, 'from is empty', 'list the fields that the value is computed from');
  for (const [index, name] of names.entries()) {
    if (!readable.includes(name))
      report([...path, index], `${name} is not a readable field`, suggestName(name, readable));
  }
  return names;
}
