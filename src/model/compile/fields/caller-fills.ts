import type { CompileContext } from '../../document/compile-context.ts';
import type { CallerFill, Field } from '../../model.ts';
import type { CallerValue } from '../../policy.ts';
import { isComparable } from '../../operators.ts';
import { readObject, readString } from '../../values/access.ts';
import { CALLER_NAMES, parseCallerValue } from '../access/caller-value.ts';

/** Keywords that contradict a value that comes from the caller. */
const CONTRADICTIONS = ['default', 'const'];

/** The parts of a model that say which fields callers fill. */
interface FillInputs {
  /** The declared schema of the resource, its `$ref`s resolved. */
  readonly schema: CompileContext['declared'];
  /** The whole document. */
  readonly document: CompileContext['declared'];
}

/** Compiles `x-default` and `x-override`. Without `x-override`, such fields are read-only. */
export function compileCallerFills(
  fields: readonly Field[],
  { schema, document }: FillInputs,
  resource: CompileContext,
): readonly Field[] {
  const properties = readObject(schema['properties']);
  return fields.map((field) => {
    const path = [...resource.path, 'schema', 'properties', field.name];
    const context = { declared: readObject(properties[field.name]), path, report: resource.report };
    const fill = compileFill(field, context);
    if (fill === null) return field;
    checkFill(field, fill, context);
    checkUses(field, resource, context);
    if (document['auth'] === undefined) {
      context.report([...path, 'x-default'], 'x-default needs auth: without it no caller is known', 'declare auth');
    }
    return { ...field, readOnly: field.readOnly || !fill.override, fill };
  });
}

function compileFill({ name }: Field, { declared, path, report }: CompileContext): CallerFill | null {
  const text = readString(declared['x-default']);
  const override = declared['x-override'] === true;
  if (text === null) {
    if (override) report([...path, 'x-override'], `${name} has no x-default that a client could override`, 'remove it');
    return null;
  }
  const value = parseCallerValue(text);
  if (value !== null && !isScopes(value)) return { value, override };
  const names = CALLER_NAMES.filter((each) => each !== '$caller.scopes').join(', ');
  const cause = value === null ? `callers have no ${text}` : `${text} is a list`;
  report([...path, 'x-default'], cause, `write one of ${names} or $caller.claims.<name>`);
  return null;
}

function isScopes(value: CallerValue): boolean {
  return value.kind === 'caller' && value.member === 'scopes';
}

/** Reports a field that could not hold what comes from the caller. */
function checkFill(
  { name, type, writeOnly }: Field,
  { value, override }: CallerFill,
  { declared, path, report }: CompileContext,
): void {
  const at = [...path, 'x-default'];
  if (type.kind === 'array' || (!isComparable(type) && type.kind !== 'json')) {
    report(at, `${name} holds no single value`, 'declare a string, a number, a boolean or json');
  } else if (value.kind === 'caller' && (type.kind !== 'text' || type.format !== null)) {
    report(at, `$caller.${value.member} is text, and ${name} is not`, 'declare type: string, without a format');
  }
  for (const keyword of CONTRADICTIONS.filter((each) => each in declared)) {
    report([...path, keyword], `${keyword} does not apply to a value that comes from the caller`, 'remove it');
  }
  if (override && declared['readOnly'] === true) {
    report([...path, 'x-override'], 'clients cannot override a readOnly field', 'remove readOnly or x-override');
  }
  if (!override && writeOnly) {
    report([...path, 'writeOnly'], 'a value that no client writes or reads is of no use', 'remove writeOnly');
  }
}

/** Reports a field whose value another rule of the resource sets. */
function checkUses({ name, generator }: Field, { declared }: CompileContext, { path, report }: CompileContext): void {
  const at = [...path, 'x-default'];
  if (generator !== null) report(at, `${name} is generated`, 'remove x-default, or the field from generated');
  if (readString(readObject(declared['state'])['field']) === name) {
    report(at, `${name} is the state, which starts as state.initial`, 'remove x-default');
  }
}
