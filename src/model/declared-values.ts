import type { Json, JsonObject } from '../conventions/json.ts';
import { assertionOf } from './assertion.ts';
import type { Declaration } from './declaration.ts';
import { listOf } from './declared.ts';
import type { Shape } from './model.ts';
import { storedForm } from './stored-form.ts';
import { compileAssertion } from './validator.ts';
import { describeReason, settle } from './violation.ts';

/** Announces the values of `enum` and `const` that the rest of their schema refuses. */
export function checkListed(shape: Shape, { declared, path, report }: Declaration): void {
  const { enum: listed, const: only, ...rest } = declared;
  if (listed === undefined && only === undefined) return;
  const faultOf = compileFault(shape, rest);
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
export function compileDefault(shape: Shape, { declared, path, report }: Declaration): Json | undefined {
  const value = declared['default'];
  if (value === undefined) return undefined;
  const fault = value === null && shape.nullable ? null : compileFault(shape, declared)(value);
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
function compileFault(shape: Shape, schema: JsonObject): (value: Json) => string | null {
  const violationsOf = compileAssertion(assertionOf(shape, schema));
  return (value) => {
    const faults = settle(violationsOf(value)).map((violation) => describeReason(violation.reason, violation.value));
    return faults.length === 0 ? null : faults.join(', ');
  };
}
