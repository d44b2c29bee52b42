import type { Json, JsonObject } from '../../conventions/json.ts';
import { assertionOf } from '../values/assertion.ts';
import type { CompileContext } from '../document/compile-context.ts';
import { listOf } from '../values/access.ts';
import type { Shape } from '../model.ts';
import { storedForm } from '../values/stored-form.ts';
import { compileAssertion } from '../values/validator.ts';
import { describeReason, dedupeViolations } from '../values/violation.ts';

/** Announces the values of `enum` and `const` that the rest of their schema refuses. */
export function checkListed(shape: Shape, { declared, path, report }: CompileContext): void {
  const { enum: listed, const: only, ...rest } = declared;
  if (listed === undefined && only === undefined) return;
  const faultOf = compileProblem(shape, rest);
  const values: [string | number, Json][] = [...listOf(listed).entries()];
  for (const [index, value] of values) {
    const fault = value === null ? null : faultOf(value);
    if (fault !== null) {
      report([...path, 'enum', index], `the value ${fault}`, 'list values that the rest of the schema allows');
    }
  }
  const fault = only === undefined || only === null ? null : faultOf(only);
  if (fault !== null) report([...path, 'const'], `the value ${fault}`, 'give one that the rest of the schema allows');
}

/** The stored form of a declared default; undefined where none is declared. One that its own schema refuses is announced. */
export function compileDefault(shape: Shape, { declared, path, report }: CompileContext): Json | undefined {
  const value = declared['default'];
  if (value === undefined) return undefined;
  const fault = value === null && shape.nullable ? null : compileProblem(shape, declared)(value);
  if (fault !== null) {
    report(
      [...path, 'default'],
      `the default ${fault}`,
      'give a value that the schema allows, or leave the default out',
    );
  }
  return value === null ? null : storedForm(shape)(value);
}

/** What is wrong with a value, in words that follow its name. */
function compileProblem(shape: Shape, schema: JsonObject): (value: Json) => string | null {
  const violationsOf = compileAssertion(assertionOf(shape, schema));
  return (value) => {
    const faults = dedupeViolations(violationsOf(value)).map((violation) =>
      describeReason(violation.reason, violation.value),
    );
    return faults.length === 0 ? null : faults.join(', ');
  };
}
