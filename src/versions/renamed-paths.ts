import { isJsonObject, type Json, type JsonObject } from '../conventions/json/json.ts';
import { isUnsetValue } from './shown-values.ts';

/** A value that has another place: paths with a mark for each list and map, `lines[].town`, `offices.*.town`. */
export interface RenamedPath {
  readonly from: string;
  readonly to: string;
}

/** Names, and the marks `[]` and `*` for all items of a list and all values of a map. */
type PathSteps = readonly string[];

interface Renamed {
  readonly from: PathSteps;
  readonly to: PathSteps;
}

/** A change of an object: the steps to what it takes, and what becomes of that. */
interface Taken {
  readonly from: PathSteps;
  /** The new name in the same object; null for a value that moves. */
  readonly name: string | null;
  readonly to: PathSteps;
}

type RenameValue = (value: Json) => Json;

const MARKS: ReadonlySet<string> = new Set(['[]', '*']);

/** The later path of a member: the longest renamed path around it decides. */
export function renamePath(path: string, names: readonly RenamedPath[]): string {
  for (let end = path.length; end !== -1; end = path.lastIndexOf('.', end - 1)) {
    const found = names.find(({ from }) => from === path.slice(0, end));
    if (found !== undefined) return found.to + path.slice(end);
  }
  return path;
}

/** Splits a path with marks into its steps. */
export function splitPath(path: string): PathSteps {
  return path.replaceAll('[]', '.[]').split('.').filter(Boolean);
}

/**
 * Compiles the renaming of values inside a value. All names apply together. What is not named stays.
 *
 * @param paths below the value
 */
export function compileRenaming(paths: readonly RenamedPath[]): RenameValue {
  return compileValue(paths.map(({ from, to }) => ({ from: splitPath(from), to: splitPath(to) })));
}

function compileValue(renamed: readonly Renamed[]): RenameValue {
  const mark = renamed[0]?.from[0] ?? '';
  if (!MARKS.has(mark)) return compileObject(renamed);
  const inner = compileValue(renamed.map(({ from, to }) => ({ from: from.slice(1), to: to.slice(1) })));
  if (mark === '[]') return (value) => (Array.isArray(value) ? value.map(inner) : value);
  return (value) =>
    isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, held]): [string, Json] => [key, inner(held)]))
      : value;
}

function compileObject(renamed: readonly Renamed[]): RenameValue {
  const own = renamed.filter(({ from }) => !from.some((step) => MARKS.has(step)));
  const others = renamed.filter((each) => !own.includes(each));
  const lists = [...Map.groupBy(others, ({ from }) => from.slice(0, measureHead(from)).join('.'))].map(
    ([head, paths]) => {
      const inner = compileValue(
        paths.map(({ from, to }) => ({ from: from.slice(measureHead(from)), to: to.slice(measureHead(to)) })),
      );
      return [head.split('.'), inner] as const;
    },
  );
  const taken = own.map((each) => findTaken(each, own)).toSorted((one, other) => other.from.length - one.from.length);
  return (value) => {
    if (!isJsonObject(value)) return value;
    const converted = lists.reduce((object, [head, inner]) => updateAt(object, head, inner), value);
    return renameMembers(converted, taken);
  };
}

function measureHead(steps: PathSteps): number {
  return steps.findIndex((step) => MARKS.has(step));
}

function findTaken({ from, to }: Renamed, all: readonly Renamed[]): Taken {
  const isSibling = followNames(from.slice(0, -1), all).join('.') === to.slice(0, -1).join('.');
  return { from, to, name: isSibling ? (to.at(-1) ?? null) : null };
}

/** The later path of an object: the longest renamed path around it decides. */
function followNames(path: PathSteps, all: readonly Renamed[]): PathSteps {
  for (let end = path.length; end > 0; end -= 1) {
    const head = path.slice(0, end).join('.');
    const found = all.find(({ from }) => from.join('.') === head);
    if (found !== undefined) return [...found.to, ...path.slice(end)];
  }
  return path;
}

/** @param taken the innermost first: an object takes along what has become of its members */
function renameMembers(object: JsonObject, taken: readonly Taken[]): JsonObject {
  let renamed = object;
  const moved: (readonly [to: PathSteps, value: Json])[] = [];
  for (const [holder, changes] of Map.groupBy(taken, ({ from }) => from.slice(0, -1).join('.'))) {
    const names = new Map(changes.map(({ from, ...each }) => [from.at(-1) ?? '', each]));
    renamed = updateAt(renamed, holder === '' ? [] : holder.split('.'), (held) => {
      if (!isJsonObject(held)) return held;
      const kept = Object.entries(held).flatMap(([name, value]): readonly (readonly [string, Json])[] => {
        const change = names.get(name);
        if (change?.name === null) moved.push([change.to, value]);
        return change === undefined ? [[name, value]] : change.name === null ? [] : [[change.name, value]];
      });
      return Object.fromEntries(kept);
    });
  }
  return moved
    .toSorted(([one], [other]) => one.length - other.length)
    .reduce((whole, [to, value]) => putAt(whole, to, value), renamed);
}

/** Replaces the value at a path, where there is one. */
function updateAt(object: JsonObject, [name, ...rest]: PathSteps, convert: RenameValue): JsonObject {
  if (name === undefined) {
    const converted = convert(object);
    return isJsonObject(converted) ? converted : object;
  }
  const held = object[name];
  if (held === undefined) return object;
  if (rest.length === 0) return { ...object, [name]: convert(held) };
  return isJsonObject(held) ? { ...object, [name]: updateAt(held, rest, convert) } : object;
}

/** Writes a value at a path. No object is made to hold an unset value. */
function putAt(object: JsonObject, [name = '', ...rest]: PathSteps, value: Json): JsonObject {
  if (rest.length === 0) return { ...object, [name]: value };
  const held = object[name] ?? null;
  if (!isJsonObject(held) && isUnsetValue(value)) return object;
  return { ...object, [name]: putAt(isJsonObject(held) ? held : {}, rest, value) };
}
