import { compareValues, type Value } from './values.ts';
import type { RuledCaller, RuledField, Tree } from './ruled-model.ts';

/** True, false, or null for unknown. */
type Truth = boolean | null;

/** Finds the value and the declaration of a dotted path of a row. */
export type ReadPath = (path: string) => { readonly value: Value; readonly field: RuledField };

/** Judges a row by a tree for a caller, by Kleene's three-valued logic (AUTH-5). */
export function isTrue(tree: Tree, caller: RuledCaller, read: ReadPath): boolean {
  return truth(tree, caller, read) === true;
}

function truth(tree: Tree, caller: RuledCaller, read: ReadPath): Truth {
  if (typeof tree === 'boolean') return tree;
  const members = Object.entries(tree).map(([name, declared]): Truth => {
    if (name === 'all') return every((declared as readonly Tree[]).map((each) => truth(each, caller, read)));
    if (name === 'any')
      return negated(every((declared as readonly Tree[]).map((each) => negated(truth(each, caller, read)))));
    if (name === 'not') return negated(truth(declared as Tree, caller, read));
    const operators =
      typeof declared === 'object' && declared !== null ? Object.entries(declared) : [['eq', declared] as const];
    return every(operators.map(([operator, operand]) => compared(operator, operand, caller, read(name))));
  });
  return every(members);
}

function every(truths: readonly Truth[]): Truth {
  if (truths.includes(false)) return false;
  return truths.includes(null) ? null : true;
}

function negated(given: Truth): Truth {
  return given === null ? null : !given;
}

/** Unknown where the caller lacks the value, or has one of another type; an unset field is as in a filter (QRY-7). */
function compared(
  operator: string,
  operand: unknown,
  caller: RuledCaller,
  { value, field }: ReturnType<ReadPath>,
): Truth {
  const isSet = value !== null;
  if (operator === 'exists') return operand === isSet;
  const given = resolved(operand, caller);
  const isList = operator === 'in' || operator === 'nin';
  if (isList !== Array.isArray(given)) return null;
  const wanted = (isList ? (given as readonly unknown[]) : [given]).map((each) => resolved(each, caller));
  if (!wanted.every((each) => isOfKind(each, field))) return null;
  const found = (test: (one: Value) => boolean): boolean => isSet && wanted.some((each) => test(each as Value));
  const order = (each: Value): number => compareValues(field.kind, value, each);
  switch (operator) {
    case 'eq':
    case 'in':
      return found((each) => order(each) === 0);
    case 'ne':
    case 'nin':
      return !found((each) => order(each) === 0);
    case 'gt':
      return found((each) => order(each) > 0);
    case 'gte':
      return found((each) => order(each) >= 0);
    case 'lt':
      return found((each) => order(each) < 0);
    case 'lte':
      return found((each) => order(each) <= 0);
    case 'starts_with':
      return found((each) => String(value).startsWith(String(each)));
    case 'contains':
      return found((each) => String(value).includes(String(each)));
    default:
      throw new Error(`no operator ${operator}`);
  }
}

function isOfKind(given: unknown, { kind }: RuledField): boolean {
  if (kind === 'number') return Number.isInteger(given);
  return typeof given === (kind === 'text' ? 'string' : 'boolean');
}

function resolved(operand: unknown, { subject, scopes, claims }: RuledCaller): unknown {
  if (typeof operand !== 'string' || !operand.startsWith('$caller.')) return operand;
  const name = operand.slice('$caller.'.length);
  if (name === 'subject') return subject;
  if (name === 'scopes') return scopes;
  if (name === 'issuer') return subject === null ? null : 'test';
  if (name === 'client') return null;
  let value: unknown = claims;
  for (const part of name.split('.').slice(1)) {
    value =
      typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === part)?.[1] : null;
  }
  return value ?? null;
}
