import { inspect } from 'node:util';
import type { Json, JsonObject } from '../../conventions/json/json.ts';
import { cut } from '../../conventions/text/quoted.ts';
import type { ComputedField } from '../model.ts';
import { assertShape } from './assertion.ts';
import { deepFreeze } from './deep-freeze.ts';
import { describeReason } from './messages.ts';
import { formatPath } from '../path.ts';
import { returnedJson } from './returned-json.ts';
import { storedForm } from './stored-form.ts';
import { compileAssertion, type ValueViolation } from './validator.ts';

/** A row for which a function of the model did not return a value of its schema. */
export interface ComputedFailure {
  /** The id of the row. */
  readonly id: string;
  /** Name of the computed member. */
  readonly field: string;
  /** The message of the thrown error, or of the schema. */
  readonly reason: string;
  /** The beginning of what was returned; null where the function threw. */
  readonly value: string | null;
}

/** Computes a member from a row: null where the function fails, so that one row does not take the others along. */
type Compute = (row: JsonObject & { readonly id: string }) => Json;

/**
 * Compiles the evaluation of a computed member. The function gets the id and its declared fields only, frozen because
 * rows are shared. Its result is validated against the schema.
 */
export function compileComputed(computed: ComputedField, report: (failure: ComputedFailure) => void): Compute {
  const { name, from, value, schema } = computed;
  const violationsOf = compileAssertion(assertShape(computed, schema));
  const form = storedForm(computed);
  const readable = ['id', ...from];
  return (row) => {
    const failed = (reason: string, returned: string | null): null => {
      report({ id: row.id, field: name, reason: cut(reason), value: returned });
      return null;
    };
    const view = deepFreeze(Object.fromEntries(readable.map((field) => [field, row[field] ?? null])));
    let returned: unknown;
    try {
      returned = value(view);
    } catch (error) {
      return failed(thrownMessage(error), null);
    }
    try {
      const result = returnedJson(returned);
      const [violation] = violationsOf(result);
      return violation === undefined ? form(result) : failed(describeViolation(violation), shown(returned));
    } catch (error) {
      return failed(thrownMessage(error), shown(returned));
    }
  };
}

function describeViolation({ path, reason, value }: ValueViolation): string {
  return [formatPath(path), describeReason(reason, value)].filter((part) => part !== '').join(' ');
}

function thrownMessage(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : `a value of type ${typeof thrown} was thrown`;
}

/** The beginning of a value of any type, for the log. Runs no code of the value. */
function shown(value: unknown): string {
  return cut(inspect(value, { depth: 2, breakLength: Infinity, maxStringLength: 100, customInspect: false }));
}
