import { isJsonObject, type Json, type JsonObject } from '../../../conventions/json/json.ts';
import type { Model, OlderVersion } from '../../../model/model.ts';
import { type EventConversion, eventConversions } from '../../../versions/event-conversion.ts';
import { compileRenaming, renamePath, type RenamedPath } from '../../../versions/renamed-paths.ts';
import { findOlderContract } from '../conversion/stored-contract.ts';

/**
 * A step of a stored event's later history. It is names of fields and paths of members that were renamed (`x-was`), or
 * the version of the contract whose rows a migration converted. `<` and a version undo all steps since that one.
 */
export type EventStep = Readonly<Record<string, string>> | string;

/** Precedes the version that a database was converted back to. */
export const RETURNED = '<';

/** The names of one migration. */
interface RenamingStep {
  readonly fields: ReadonlyMap<string, string>;
  /** Paths inside of fields, which begin with their later names. */
  readonly paths: readonly RenamedPath[];
  readonly rename: (object: Json) => Json;
}

function renamingStep(names: Readonly<Record<string, string>>): RenamingStep {
  const all = Object.entries(names).map(([from, to]) => ({ from, to }));
  const paths = all.filter(({ from }) => /[.[]/.test(from));
  const fields = new Map(all.flatMap((each) => (paths.includes(each) ? [] : [[each.from, each.to] as const])));
  return { fields, paths, rename: paths.length === 0 ? (object) => object : compileRenaming(paths) };
}

/** The names that fields of stored events, and members inside of them, have by now: those of `x-was` since. */
export class RenamedFields {
  readonly #steps: readonly RenamingStep[];

  /** @param renamed earlier and later names, of one migration after the other */
  constructor(renamed: readonly Readonly<Record<string, string>>[]) {
    this.#steps = renamed.map(renamingStep);
  }

  get isEmpty(): boolean {
    return this.#steps.length === 0;
  }

  /** Names of fields, or paths that begin with one. */
  names(fields: readonly string[]): readonly string[] {
    return this.isEmpty
      ? fields
      : fields.map((each) => this.#steps.reduce((path, step) => renamePath(renameField(path, step), step.paths), each));
  }

  /** The members of an object, in their order, under the later names. */
  members(object: JsonObject): JsonObject;
  members(object: JsonObject | null): JsonObject | null;
  members(object: JsonObject | null): JsonObject | null {
    if (object === null || this.isEmpty) return object;
    return this.#steps.reduce((values, step) => {
      const named = Object.fromEntries(Object.entries(values).map(([name, value]) => [renameField(name, step), value]));
      const renamed = step.rename(named);
      return isJsonObject(renamed) ? renamed : named;
    }, object);
  }
}

function renameField(path: string, { fields }: RenamingStep): string {
  const name = path.replace(/[.[ ].*$/s, '');
  return (fields.get(name) ?? name) + path.slice(name.length);
}

/** The way from the bytes of an event to the values that the newest contract has for it. */
export interface EventHistory {
  readonly renamed: RenamedFields;
  /** Applied to the renamed values; null where they are those of the newest contract. */
  readonly conversion: EventConversion | null;
}

/** The facts of an event about the contract under which it was written. */
export interface WrittenEvent {
  /** `1.4` */
  readonly schemaVersion: string;
  /** The singular name of its resource, as it is by now. */
  readonly resource: string;
  /** The names of changed fields. */
  readonly changed: readonly string[];
  readonly steps: readonly EventStep[];
  /** The contract of an older model that is served next to the newest one; null for none. */
  readonly paired: OlderVersion | null;
}

/** Reads the history of events. Values of the first contract that the model lists become those of the newest one. */
export function eventHistory(
  model: Model | null,
  { schemaVersion, resource, changed, steps, paired }: WrittenEvent,
): EventHistory {
  const valid = withoutReturns(steps);
  const find = (version: string): EventConversion | null => {
    const listed = model === null ? null : findOlderContract(model, version);
    return model === null || listed === null ? null : eventConversions(model)(listed, resource);
  };
  const isListed = (step: EventStep): boolean =>
    typeof step === 'string' && model !== null && findOlderContract(model, step) !== null;
  const at = valid.findIndex(isListed);
  const renamed = (end: number): RenamedFields =>
    new RenamedFields(valid.slice(0, end).filter((step) => typeof step !== 'string'));
  const version = valid[at];
  if (typeof version === 'string') return { renamed: renamed(at), conversion: find(version) };
  // The step of a migration to the older model: its events are not noted before it ends.
  const isOlder = paired !== null && model !== null && !isNewest(schemaVersion, model);
  const own = isOlder ? eventConversions(model)(paired, resource) : null;
  if (valid.length > 0) return { renamed: renamed(valid.length), conversion: own };
  // Written by an instance of the older model, next to those of the newer one.
  const conversion = find(`${schemaVersion}.0`) ?? own;
  return { renamed: renamed(0), conversion: conversion?.knows(changed) === true ? conversion : null };
}

function isNewest(schemaVersion: string, { version: { major, minor } }: Model): boolean {
  return schemaVersion === `${major}.${minor}`;
}

/** The steps that are in force: a return takes back those since the version that it names. */
function withoutReturns(steps: readonly EventStep[]): readonly EventStep[] {
  return steps.reduce<readonly EventStep[]>((valid, step) => {
    if (typeof step !== 'string' || !step.startsWith(RETURNED)) return [...valid, step];
    const start = valid.indexOf(step.slice(RETURNED.length));
    return start === -1 ? valid : valid.slice(0, start);
  }, []);
}
