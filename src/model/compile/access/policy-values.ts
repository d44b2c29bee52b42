import type { Json } from '../../../conventions/json/json.ts';
import { jsonEquals } from '../../../conventions/json/json-equality.ts';
import type { ReportProblem } from '../../document/model-error.ts';
import type { Property } from '../../model.ts';
import type { PolicyValue } from '../../policy.ts';
import { coerceJson, coerceJsonPart } from '../../values/coercion.ts';
import type { ComparisonOperator } from '../../operators.ts';
import type { Path } from '../../path.ts';
import { CALLER, CALLER_NAMES, parseCallerValue } from './caller-value.ts';

/**
 * A text that names a value. It includes names of other tools, such as `$NOW`, so that they are errors and not plain
 * text.
 */
const NAME = /^\$[A-Za-z_]/;
const CALLER_VALUES = `${CALLER_NAMES.join(', ')} or $caller.claims.<name>`;

/** A value that no field equals. */
const UNKNOWN: PolicyValue = { kind: 'literal', value: null };

/** Compiles the values that policies compare fields with. */
export class PolicyValues {
  readonly #report: ReportProblem;
  /** True if a function returned the values. */
  readonly #isResult: boolean;

  constructor(report: ReportProblem, isResult: boolean) {
    this.#report = report;
    this.#isResult = isResult;
  }

  /** The value of a comparison; null after a problem. */
  operand(property: Property, operator: ComparisonOperator, given: Json, at: Path): PolicyValue | null {
    if (operator === 'exists') {
      if (typeof given === 'boolean') return { kind: 'literal', value: given };
      return this.#problem(at, 'exists must be true or false', 'write { exists: true } or { exists: false }');
    }
    if (operator === 'in' || operator === 'nin') return this.#list(property, given, at);
    return this.#single(property, operator, given, at);
  }

  #problem(at: Path, cause: string, fix: string): null {
    this.#report(at, cause, fix);
    return null;
  }

  #list(property: Property, given: Json, at: Path): PolicyValue | null {
    if (this.#isName(given)) {
      const value = this.#ofCaller(given, at);
      if (value?.kind !== 'caller' || value.member === 'scopes') return value && this.#textual(property, value, at);
      return this.#problem(at, `${given} is a single value`, `write [${given}]`);
    }
    if (!Array.isArray(given)) {
      if (this.#isResult && given === null) return UNKNOWN;
      return this.#problem(at, 'the value is not a list', 'write a list, as in { in: [A, B] }');
    }
    const items: readonly Json[] = given;
    const values = items.map((each, index) => this.#single(property, 'eq', each, [...at, index]));
    const compiled = values.filter((each) => each !== null);
    return compiled.length < values.length ? null : { kind: 'list', values: compiled };
  }

  #single(property: Property, operator: ComparisonOperator, given: Json, at: Path): PolicyValue | null {
    if (this.#isName(given)) {
      const value = this.#ofCaller(given, at);
      if (value?.kind !== 'caller' || value.member !== 'scopes') return value && this.#textual(property, value, at);
      return this.#problem(at, `${given} is a list`, `write { in: ${given} }`);
    }
    // A part of a text need not be a valid value: of a date, for example.
    const isPart = operator === 'starts_with' || (operator === 'contains' && property.type.kind === 'text');
    const result = isPart ? coerceJsonPart(property.type, given) : coerceJson(property.type, given);
    if (result.kind === 'invalid') {
      if (this.#isResult) return UNKNOWN;
      const fix =
        given === null ? 'write { exists: false } for a field without a value' : 'compare it with such a value';
      return this.#problem(at, `${property.path} ${result.message}`, fix);
    }
    const { value } = result;
    const isMember = isPart || property.allowed === null || property.allowed.some((each) => jsonEquals(each, value));
    const isEquality = operator === 'eq' || operator === 'ne' || operator === 'contains';
    if (isMember || this.#isResult || !isEquality) return { kind: 'literal', value };
    const cause = `${property.path} cannot be ${JSON.stringify(value)}`;
    return this.#problem(
      at,
      cause,
      `use one of ${(property.allowed ?? []).map((each) => JSON.stringify(each)).join(', ')}`,
    );
  }

  /** Checks that a field that is compared with a caller is text. */
  #textual({ type, path }: Property, value: PolicyValue, at: Path): PolicyValue | null {
    const { kind } = type.kind === 'array' ? type.item.type : type;
    const isOther = kind === 'integer' || kind === 'number' || kind === 'boolean' || kind === 'date-time';
    if (value.kind !== 'caller' || !isOther) return value;
    return this.#problem(
      at,
      `${path} is of type ${kind}, and $caller.${value.member} is text`,
      'compare a string field',
    );
  }

  /** Names that a function returns only by mistake. Other texts may be claims, which are used as they are. */
  #isName(given: Json): given is string {
    return typeof given === 'string' && (this.#isResult ? given.startsWith(CALLER) : NAME.test(given));
  }

  #ofCaller(text: string, at: Path): PolicyValue | null {
    // It may be a claim whose text the caller has chosen, so that it must not name another one.
    if (this.#isResult)
      return this.#problem(
        at,
        `a function returns the text ${CALLER}...`,
        'return the value of the caller, which is its parameter',
      );
    return parseCallerValue(text) ?? this.#problem(at, `callers have no ${text}`, `write ${CALLER_VALUES}`);
  }
}
