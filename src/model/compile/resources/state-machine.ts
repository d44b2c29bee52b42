import { isJsonObject } from '../../../conventions/json/json.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import { readArray, readObject, readString } from '../../values/access.ts';
import type { Field, StateMachine } from '../../model.ts';
import type { Path } from '../../path.ts';

/**
 * The state machine of a resource, and its fields: the state field is required, with the initial state as its default.
 */
interface CompiledState {
  readonly state: StateMachine | null;
  readonly fields: readonly Field[];
}

/**
 * Compiles the state machine (MET-11). Every row has a state, so the field is never null, even if it is not in
 * `required`.
 *
 * @param schema the schema of the resource, its `$ref`s resolved
 */
export function compileState(
  fields: readonly Field[],
  schema: CompileContext['declared'],
  resource: CompileContext,
): CompiledState {
  const declared = resource.declared['state'];
  if (!isJsonObject(declared)) return { state: null, fields };
  const machine: CompileContext = { ...resource, declared, path: [...resource.path, 'state'] };
  const name = readString(declared['field']) ?? '';
  const field = fields.find((each) => each.name === name);
  const values = readArray(readObject(readObject(schema['properties'])[name])['enum']).filter(
    (value) => typeof value === 'string',
  );
  if (!isStateField(field, values, name, machine)) return { state: null, fields };
  const initial = readString(declared['initial']) ?? '';
  checkState(initial, values, [...machine.path, 'initial'], machine);
  if (field.default !== undefined && field.default !== initial) {
    const fix = 'make them equal, or remove the default';
    machine.report([...machine.path, 'initial'], `the default of ${name} differs from the initial state`, fix);
  }
  const transitions = new Map(values.map((value) => [value, new Set<string>()]));
  const scopes = new Map<string, Map<string, string>>();
  for (const [from, targets] of Object.entries(readObject(declared['transitions']))) {
    const at = [...machine.path, 'transitions', from];
    checkState(from, values, at, machine);
    for (const [index, target] of readArray(targets).entries()) {
      const to = readString(isJsonObject(target) ? target['to'] : target);
      if (to === null) continue;
      checkState(to, values, [...at, index], machine);
      transitions.get(from)?.add(to);
      const scope = isJsonObject(target) ? readString(target['scope']) : null;
      if (scope !== null) scopes.set(from, (scopes.get(from) ?? new Map<string, string>()).set(to, scope));
    }
  }
  const stateField: Field = { ...field, required: true, nullable: false, default: initial };
  return {
    state: { field: name, isOptional: !field.required, initial, transitions, scopes },
    fields: fields.map((each) => (each === field ? stateField : each)),
  };
}

function isStateField(
  field: Field | undefined,
  values: readonly string[],
  name: string,
  { path, report }: CompileContext,
): field is Field {
  const at = [...path, 'field'];
  if (field === undefined) {
    report(at, `there is no field ${name}`, 'use a field of this resource');
    return false;
  }
  if (field.type.kind !== 'text' || values.length === 0) {
    report(at, `${name} has no enum of states`, 'declare it with type: string and an enum');
    return false;
  }
  if (field.writeOnly) report(at, `the state field ${name} cannot be write-only`, 'remove writeOnly');
  if (!field.required && field.default === undefined) {
    report(at, `the state field ${name} is optional`, 'make it required, or declare a default');
  }
  return true;
}

function checkState(state: string, values: readonly string[], at: Path, { report }: CompileContext): void {
  if (values.includes(state)) return;
  report(at, `${state} is not a state`, `use one of ${values.join(', ')}, or add it to the enum`);
}
