import { isJsonObject } from '../../conventions/json.ts';
import type { CompileContext } from '../document/compile-context.ts';
import { listOf, objectOf, stringOf } from '../values/access.ts';
import type { Field, StateMachine } from '../model.ts';
import type { Path } from '../values/path.ts';

/** The states of a resource and its fields: the state field is required from then on, with the initial state as its default. */
export interface CompiledState {
  readonly state: StateMachine | null;
  readonly fields: readonly Field[];
}

/**
 * The declared states (MET-11). A row always is in one, so that the field is never null, whatever `required` says.
 *
 * @param schema the resource's schema, its `$ref`s resolved
 */
export function compileState(
  fields: readonly Field[],
  schema: CompileContext['declared'],
  resource: CompileContext,
): CompiledState {
  const declared = resource.declared['state'];
  if (!isJsonObject(declared)) return { state: null, fields };
  const states: CompileContext = { ...resource, declared, path: [...resource.path, 'state'] };
  const name = stringOf(declared['field']) ?? '';
  const field = fields.find((each) => each.name === name);
  const values = listOf(objectOf(objectOf(schema['properties'])[name])['enum']).filter(
    (value) => typeof value === 'string',
  );
  if (!isStateField(field, values, name, states)) return { state: null, fields };
  const initial = stringOf(declared['initial']) ?? '';
  checkState(initial, values, [...states.path, 'initial'], states);
  if (field.default !== undefined && field.default !== initial) {
    const fix = 'let them be the same, or leave the default out';
    states.report([...states.path, 'initial'], `the default of ${name} is not the initial state`, fix);
  }
  const transitions = new Map(values.map((value) => [value, new Set<string>()]));
  for (const [from, targets] of Object.entries(objectOf(declared['transitions']))) {
    const at = [...states.path, 'transitions', from];
    checkState(from, values, at, states);
    for (const [index, target] of listOf(targets).entries()) {
      const to = stringOf(isJsonObject(target) ? target['to'] : target);
      if (to === null) continue;
      checkState(to, values, [...at, index], states);
      transitions.get(from)?.add(to);
    }
  }
  const stateField: Field = { ...field, required: true, nullable: false, default: initial };
  return {
    state: { field: name, initial, transitions },
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
    report(at, `there is no field ${name}`, 'name a field of this resource');
    return false;
  }
  if (field.type.kind !== 'text' || values.length === 0) {
    report(at, `${name} does not list its states`, 'declare it with type: string and an enum');
    return false;
  }
  if (field.writeOnly) report(at, `${name} is write-only, and a state is for all to see`, 'remove writeOnly');
  if (!field.required && field.default === undefined) {
    report(at, `${name} may be unset, and a row always is in a state`, 'make it required, or give it a default');
  }
  return true;
}

function checkState(state: string, values: readonly string[], at: Path, { report }: CompileContext): void {
  if (values.includes(state)) return;
  report(at, `${state} is no state`, `write one of ${values.join(', ')}, or add it to the enum`);
}
