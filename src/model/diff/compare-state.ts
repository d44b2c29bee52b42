import type { StateMachine } from '../model.ts';
import { compareScope } from './compare-access.ts';
import { type Comparers, compareMembers, flag, type Pair, setDifference, unseen, value } from './comparers.ts';
import { type Difference, difference, type Place } from './difference.ts';

const STATE_COMPARERS = {
  field: unseen('compared before the rest of the state machine'),
  scopes: unseen('compared with the transitions'),
  isOptional: (was, is, at, machines) => NULL_STATE(was, is, { ...at, responses: false }, machines),
  initial: value('initial-state-changed', 'the initial state'),
  transitions: (_was, _is, at, machines) => compareTransitions(machines, at),
} satisfies Comparers<StateMachine>;

const NULL_STATE = flag(
  ['null-allowed', 'null for the state is as if it were left out'],
  ['null-refused', 'null for the state is refused'],
);

/** The differences of two state machines; null for none. Machines of different fields are different machines. */
export function compareState([was, is]: Pair<StateMachine | null>, at: Place): readonly Difference[] {
  if (was !== null && is !== null && was.field === is.field) {
    return compareMembers<StateMachine, Place>(STATE_COMPARERS, [was, is], at);
  }
  return [
    ...(was === null ? [] : [difference('state-machine-removed', at, `${was.field} is no longer a state`)]),
    ...(is === null
      ? []
      : [difference('state-machine-added', at, `${is.field} is a state, which changes by transitions`)]),
  ];
}

function compareTransitions([was, is]: Pair<StateMachine>, at: Place): readonly Difference[] {
  const [before, after] = [listTransitions(was), listTransitions(is)];
  const { removed, added } = setDifference(before.keys(), after.keys());
  const common = [...before.keys()].filter((transition) => after.has(transition));
  return [
    ...removed.map((transition) => difference('transition-removed', at, `${transition} is no longer a transition`)),
    ...added.map((transition) => difference('transition-added', at, `${transition} is a transition`)),
    ...common.flatMap((transition) =>
      compareScope([before.get(transition) ?? null, after.get(transition) ?? null], transition, at),
    ),
  ];
}

/** The scope of each transition by its text, `DRAFT -> ACTIVE`; null for none. */
function listTransitions({ transitions, scopes }: StateMachine): ReadonlyMap<string, string | null> {
  return new Map(
    [...transitions].flatMap(([from, targets]) =>
      [...targets].map((to): [string, string | null] => [`${from} -> ${to}`, scopes.get(from)?.get(to) ?? null]),
    ),
  );
}
