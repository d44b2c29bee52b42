import { fieldOfPath } from '../../../conventions/text/field-path.ts';
import { newerPaths, olderPaths } from '../../contract-version.ts';
import type { AccessRule, Resource } from '../../model.ts';
import { RESERVED_FIELDS } from '../fields/names.ts';
import { parentPath, OlderPaths, pathsAround, listPaths, type PathTarget } from './field-paths.ts';
import {
  type DeclaredChange,
  type FieldChange,
  reportSecond,
  reportUnknown,
  type VersionStep,
} from './version-step.ts';

/** The field with the id of the parent, whose name follows from the singular of the parent. */
export interface ParentId {
  readonly newer: string;
  readonly older: string;
}

const MEMBER_NAME = /^[a-z][a-z0-9_]*$/;

/** Maps the paths of the successor to those of the older version. */
export function mapOlderPaths(changes: readonly DeclaredChange<FieldChange>[], parent: ParentId | null): OlderPaths {
  const changed = changes.flatMap(({ change }) => {
    const isMoved = change.kind === 'rename' || change.kind === 'move';
    return newerPaths(change).map((name) => [name, isMoved ? change.from : null] as const);
  });
  return new OlderPaths([...changed, ...(parent === null ? [] : [[parent.newer, parent.older] as const])]);
}

/** Checks the changes of one resource against its fields in the successor, and against each other. */
export class FieldCheck {
  readonly #resource: Resource;
  readonly #changes: readonly DeclaredChange<FieldChange>[];
  readonly #step: VersionStep;
  readonly #newer: ReadonlyMap<string, PathTarget>;
  readonly #paths: OlderPaths;
  /** Names of the successor's fields that no change names. */
  readonly #kept: ReadonlySet<string>;
  /** The fields of the older version that the successor has too. */
  readonly #older: ReadonlyMap<string, PathTarget>;

  constructor(
    resource: Resource,
    changes: readonly DeclaredChange<FieldChange>[],
    parent: ParentId | null,
    step: VersionStep,
  ) {
    this.#resource = resource;
    this.#changes = changes;
    this.#step = step;
    this.#newer = listPaths(resource);
    this.#paths = mapOlderPaths(changes, parent);
    const both = [...this.#newer].flatMap(([newer, target]) => {
      const older = this.#paths.of(newer);
      return older === null ? [] : [{ newer, older, target }];
    });
    const unchanged = both.filter(({ newer, target }) => target.kind === 'parent' || !this.#paths.changes(newer));
    this.#kept = new Set(unchanged.map(({ older }) => older));
    this.#older = new Map(both.map(({ older, target }) => [older, target]));
  }

  /** Reports every problem of the changes. */
  run(): void {
    const taken: DeclaredChange<FieldChange>[] = [];
    const used = new Set<string>();
    for (const declared of this.#changes) {
      for (const name of newerPaths(declared.change)) this.#checkNewer(name, declared, taken);
      for (const name of olderPaths(declared.change)) this.#checkOlder(name, declared, used);
      this.#checkPlaces(declared);
      taken.push(declared);
    }
    this.#checkCycles();
  }

  /** Reports a path that the successor does not have, that cannot change so, or that another change names. */
  #checkNewer(
    name: string,
    { change, at }: DeclaredChange<FieldChange>,
    earlier: readonly DeclaredChange<FieldChange>[],
  ): void {
    const { older, successor, report } = this.#step;
    const target = this.#newer.get(name);
    if (target === undefined) {
      const thing = `field ${name} in ${this.#resource.name}`;
      reportUnknown(this.#step, at, thing, { name, known: this.#newer.keys() });
    } else if (target.kind === 'parent') {
      const cause = `${name} is the id of the parent: in ${older}, as in ${successor}, its name follows the singular of the parent`;
      report(at, cause, 'declare the older singular of the parent');
    } else if (target.kind === 'computed' && change.kind !== 'rename' && change.kind !== 'without') {
      report(
        at,
        `${name} is computed in ${successor}, so ${older} can only rename it or omit it`,
        'use rename or without',
      );
    } else if (name.includes('.') && (change.kind === 'without' || change.kind === 'convert')) {
      const cause = `${name} is a member of an object in ${successor}; ${older} can rename and move such members`;
      report(at, cause, 'name a field of the resource');
    }
    const isTaken = earlier.some((other) =>
      newerPaths(other.change).some((taken) => overlaps(taken, other, name, change)),
    );
    if (isTaken) reportSecond(this.#step, at, `the field ${name} of ${this.#resource.name} in ${this.#step.successor}`);
  }

  /** Reports a name that no field can have, or that another field of the older version has. */
  #checkOlder(name: string, { change, at }: DeclaredChange<FieldChange>, used: Set<string>): void {
    const { older, successor, report } = this.#step;
    const isPath = change.kind === 'rename' || change.kind === 'move';
    const isValid = name.split('.').every((each) => MEMBER_NAME.test(each)) && (isPath || !name.includes('.'));
    if (!isValid || RESERVED_FIELDS.has(name)) {
      const cause = `${name} cannot be a field of ${older}, which ${successor} succeeds`;
      report(at, cause, 'choose another name in snake_case');
    } else if (used.has(name)) {
      reportSecond(this.#step, at, `the field ${name} of ${this.#resource.name} in ${older}`);
    } else if (this.#kept.has(name)) {
      const cause = `${older} already has a field ${name} in ${this.#resource.name}, from its successor ${successor}`;
      report(at, cause, 'choose another name, or declare a change of that field');
    }
    used.add(name);
  }

  /** Reports a renamed member of another object, and a move that is none or that leads into what is no object. */
  #checkPlaces({ change, at }: DeclaredChange<FieldChange>): void {
    const { older, successor, report } = this.#step;
    if (change.kind === 'rename') {
      const holder = parentPath(change.to) === '' ? '' : this.#paths.of(parentPath(change.to));
      if (holder === null || holder === parentPath(change.from)) return;
      const cause = `${change.from} in ${older} and ${change.to} in ${successor} are in different objects`;
      report(at, cause, 'use move');
    }
    if (change.kind === 'convert') this.#checkConverted(change.to, at);
    if (change.kind !== 'move') return;
    if (!change.from.includes('.') && !change.to.includes('.')) {
      report(at, `${change.from} in ${older} and ${change.to} in ${successor} are in no object`, 'use rename');
    }
    for (const holder of pathsAround(change.from)) {
      const target = this.#older.get(holder);
      const isField = target !== undefined || this.#changes.some((other) => olderPaths(other.change).includes(holder));
      if (!isField || (target?.kind === 'field' && target.type.kind === 'object')) continue;
      report(at, `${holder} is not an object in ${older}, the version before ${successor}`, 'move into an object');
    }
    this.#checkMoved(change.from, change.to, at);
  }

  /**
   * Reports a field, or a member of it, that a member of another object could not be: no member is write-only or has
   * access rules.
   */
  #checkMoved(from: string, to: string, at: DeclaredChange['at']): void {
    const { older, successor, report } = this.#step;
    const holder = fieldOfPath(to);
    const field = this.#resource.field.get(holder);
    const isRuledThere = !from.includes('.') || this.#paths.of(holder) === fieldOfPath(from);
    if (field === undefined || isRuledThere) return;
    const reason = field.writeOnly
      ? 'is write-only'
      : this.#resource.fieldAccess.has(holder)
        ? 'has access rules of its own'
        : null;
    if (reason === null) return;
    const cause = `${holder} ${reason} in ${successor}, which a member of an object cannot in ${older}`;
    report(at, cause, to === holder ? 'rename it instead' : 'leave its members in it');
  }

  /** Reports fields with different scopes that are one conversion: its older fields have one rule. */
  #checkConverted(fields: readonly string[], at: DeclaredChange['at']): void {
    const { older, successor, report } = this.#step;
    for (const operation of ['read', 'write'] as const) {
      const scopes = new Set(fields.flatMap((name) => listScope(this.#resource.fieldAccess.get(name)?.[operation])));
      if (scopes.size < 2) continue;
      const cause = `${fields.join(' and ')} need different scopes to ${operation} in ${successor}, but ${older} has one rule for the fields that they are converted from`;
      report(at, cause, 'declare one scope for them');
    }
  }

  /** Reports names that go round: every one of them would mean another field in each version. */
  #checkCycles(): void {
    const renames = this.#changes.flatMap(({ change, at }) => (change.kind === 'rename' ? [{ ...change, at }] : []));
    const cycle = findCycle(renames);
    if (cycle === null) return;
    const { older, successor, report } = this.#step;
    const names = [...cycle.map(({ from }) => from), cycle[0]?.from ?? ''].join(' → ');
    const cause = `the names ${names} of ${this.#resource.name} form a cycle between ${older} and ${successor}`;
    report(cycle[0]?.at ?? [], cause, 'give one of the fields a name that neither version has');
  }
}

function listScope(rule: AccessRule | null | undefined): readonly string[] {
  return rule?.kind === 'scope' ? [rule.scope] : [];
}

/** Pairs that lead back to where they begin; null if there are none. */
export function findCycle<P extends { readonly from: string; readonly to: string }>(
  pairs: readonly P[],
): readonly P[] | null {
  const byFrom = new Map(pairs.map((pair) => [pair.from, pair]));
  for (const first of pairs) {
    const cycle = [first];
    for (let next = byFrom.get(first.to); next !== undefined && !cycle.includes(next); next = byFrom.get(next.to)) {
      cycle.push(next);
    }
    if (cycle.at(-1)?.to === first.from) return cycle;
  }
  return null;
}

/** True if two changes name the same field. A member of a renamed object can be renamed, too. */
function overlaps(
  taken: string,
  { change: other }: DeclaredChange<FieldChange>,
  name: string,
  change: FieldChange,
): boolean {
  if (taken === name) return true;
  if (name.startsWith(`${taken}.`)) return other.kind !== 'rename';
  return taken.startsWith(`${name}.`) && change.kind !== 'rename';
}
