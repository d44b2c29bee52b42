import type { Json } from '../../../conventions/json/json.ts';
import type { Model } from '../../../model/model.ts';
import { withEarlierNames } from './earlier-names.ts';
import {
  type FieldProfile,
  type ModelProfile,
  profileModel,
  type ResourceProfile,
  storedForm,
} from './model-profile.ts';

export const STOP = 'stop all instances and apply it without --phase';

/**
 * Finds the reasons for which instances of a model cannot run next to those of the one before it. One of them could not
 * read, or would damage, rows of the other. Each reason is a sentence without a full stop that names the field and the
 * fix.
 */
export function neighbourProblems(before: ModelProfile, model: Model): readonly string[] {
  const after = profileModel(model);
  const owners =
    before.owners === null || after.owners === null || before.owners === after.owners
      ? []
      : [`owner fields name callers in another way: ${STOP}`];
  return [
    ...owners,
    ...[...model.resources.values()].flatMap((resource): readonly string[] => {
      const { name, was, fields } = resource;
      const [old, next] = [before.resources[name], after.resources[name]];
      if (old !== undefined && next !== undefined) {
        const names = new Map(fields.map((field) => [field.name, field.was]));
        return resourceProblems(name, { old, next: withEarlierNames(next, resource, { before, model }), names });
      }
      const isRenamed = was !== null && before.resources[was] !== undefined && after.resources[was] === undefined;
      return isRenamed ? [`${name} is renamed from ${was}, the name that the old instances use: ${STOP}`] : [];
    }),
  ];
}

interface ResourcePair {
  readonly old: ResourceProfile;
  readonly next: ResourceProfile;
  /** The names of fields before they were renamed. */
  readonly names: ReadonlyMap<string, string | null>;
}

function resourceProblems(name: string, { old, next, names }: ResourcePair): readonly string[] {
  const problems: string[] = [];
  if (old.singular !== next.singular) {
    problems.push(
      `${name} has the singular ${next.singular}, and the old instances name its events ${old.singular}: ${STOP}`,
    );
  }
  if (old.key !== next.key) problems.push(`${name} identifies its rows in another way: ${STOP}`);
  if (!isSameValue(old.search, next.search)) {
    const changed = [...difference(old.search, next.search), ...difference(next.search, old.search)];
    problems.push(
      `${name} is searched by other fields (${changed.join(', ')}), whose words the old instances do not write: ${STOP}`,
    );
  }
  if (!isSameValue(old.judged, next.judged)) {
    problems.push(`${name} has row policies that compare other fields, which the old instances do not record: ${STOP}`);
  }
  const renamed = new Set<string>();
  for (const [field, profile] of Object.entries(next.fields)) {
    const path = `${name}.${field}`;
    const before = old.fields[field];
    const was = names.get(field) ?? null;
    if (before !== undefined) problems.push(...fieldProblems(path, before, profile));
    else if (was !== null && old.fields[was] !== undefined && next.fields[was] === undefined) {
      renamed.add(was);
      const fix = `keep ${was}, add ${field}, and remove ${was} in a later deployment; or ${STOP}`;
      problems.push(`${path} is renamed from ${was}, the name that the old instances use: ${fix}`);
    } else if (profile.required && profile.default === null) {
      problems.push(`${path} is required, and the old instances create rows without it: declare a default; or ${STOP}`);
    }
  }
  for (const [field, profile] of Object.entries(old.fields)) {
    if (next.fields[field] !== undefined || renamed.has(field)) continue;
    if (!profile.required || profile.default !== null) continue;
    const fix = `declare a default for it in a deployment before; or ${STOP}`;
    problems.push(`${name}.${field} is removed, and the old instances require it: ${fix}`);
  }
  return problems;
}

/** Finds the reasons for which instances of two models cannot both write a field. */
export function fieldProblems(path: string, old: FieldProfile, next: FieldProfile): readonly string[] {
  const another = `add another field, and remove this one in a later deployment; or ${STOP}`;
  if (!isSameValue(storedForm(old.type), storedForm(next.type)) || old.form !== next.form) {
    return [`${path} has another type: ${another}`];
  }
  if (old.reference !== next.reference) return [`${path} refers to other rows: ${another}`];
  if (old.required && !next.required) {
    return [`${path} is optional, and the old instances require it: they could not represent null; ${STOP}`];
  }
  if (!old.required && next.required) return [`${path} is required, and the old instances write null: ${STOP}`];
  return valueProblems(path, old.values, next.values);
}

function valueProblems(path: string, old: FieldProfile['values'], next: FieldProfile['values']): readonly string[] {
  const [known, allowed] = [new Map(old), new Map(next)];
  const places = [...new Set([...known.keys(), ...allowed.keys()])];
  const problems = places.flatMap((place): readonly string[] => {
    const [before, after] = [known.get(place), allowed.get(place)];
    const name = place === 'state' ? path : `${path}${place}`;
    if (before === undefined || after === undefined) return [`${name} allows other values than before: ${STOP}`];
    const unknown = difference(after, before);
    const removed = difference(before, after);
    return [
      ...(unknown.length === 0
        ? []
        : [`${name} may be ${listed(unknown)}, which the old instances do not know: ${STOP}`]),
      ...(removed.length === 0
        ? []
        : [`${name} may not be ${listed(removed)}, which the old instances write: ${STOP}`]),
    ];
  });
  return [...new Set(problems)];
}

/** The fields in which two models differ, for messages: `items.price`, or a resource that one of them does not have. */
export function differingFields(one: ModelProfile, other: ModelProfile): readonly string[] {
  const names = [...new Set([...Object.keys(one.resources), ...Object.keys(other.resources)])];
  return names.flatMap((name): readonly string[] => {
    const [first, second] = [one.resources[name], other.resources[name]];
    if (first === undefined || second === undefined) return [name];
    const fields = [...new Set([...Object.keys(first.fields), ...Object.keys(second.fields)])];
    const changed = fields.filter((field) => !isSameValue(first.fields[field] ?? null, second.fields[field] ?? null));
    const rest = isSameValue({ ...first, fields: {} }, { ...second, fields: {} });
    return changed.length === 0 && !rest ? [name] : changed.map((field) => `${name}.${field}`);
  });
}

function listed(values: readonly Json[]): string {
  return values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(', ');
}

function difference<T extends Json>(values: readonly T[], others: readonly T[]): readonly T[] {
  return values.filter((value) => !others.some((other) => isSameValue(value, other)));
}

function isSameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
