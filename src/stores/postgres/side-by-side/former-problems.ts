import { isJsonObject, type Json } from '../../../conventions/json/json.ts';
import type { Field, Model, ValueType } from '../../../model/model.ts';
import { findFormerNames } from '../../../versions/former-names.ts';
import { compileRenaming, type RenamedPath } from '../../../versions/renamed-paths.ts';
import { profileFields } from '../../sql/conversion/former-names.ts';
import {
  type FieldProfile,
  type ModelProfile,
  profileModel,
  type ResourceProfile,
  storedForm,
} from '../../sql/schema/model-profile.ts';
import { fieldProblems, STOP } from '../../sql/schema/neighbours.ts';
import type { SharedTable } from './shared-table.ts';
import type { SharedTables } from './shared-tables.ts';

/**
 * Finds the reasons for which instances of two models cannot run side by side while members of objects are renamed
 * (`x-was`). All else in these objects has to be the same.
 */
export function formerProblems(before: ModelProfile, model: Model, { form, tables }: SharedTables): readonly string[] {
  if (form.former === null) return [];
  const after = profileModel(model);
  const { major, minor } = form.version.version;
  const isSameVersion = major === model.version.major && minor === model.version.minor;
  return tables.flatMap((table) => {
    const [old, next] = [before.resources[table.name], after.resources[table.name]];
    if (table.conversion === null || old === undefined || next === undefined) return [];
    // Events and records say by the version which names they have.
    const version = isSameVersion
      ? [
          `${table.name} has renamed members of objects, and the version ${major}.${minor} of the old instances: give the model a higher minor or major version; or ${STOP}`,
        ]
      : [];
    return [...version, ...tableProblems(table, old, next)];
  });
}

function tableProblems(table: SharedTable, old: ResourceProfile, next: ResourceProfile): readonly string[] {
  const { from = [], to = [] } = table.conversion ?? {};
  const { renamed } = findFormerNames(table.resource, profileFields(old));
  return to.flatMap((field, at) => {
    const was = from[at]?.name ?? field.name;
    const [before, after] = [old.fields[was], next.fields[field.name]];
    if (before === undefined || after === undefined) return [];
    return memberProblems(`${table.name}.${field.name}`, { was, field, before, after }, renamed);
  });
}

/** A field of both models. */
interface RenamedField {
  readonly was: string;
  readonly field: Field;
  readonly before: FieldProfile;
  readonly after: FieldProfile;
}

function memberProblems(
  path: string,
  { was, field: { name }, before, after }: RenamedField,
  renamed: readonly RenamedPath[],
): readonly string[] {
  const names = was === name ? renamed : [...renamed, { from: was, to: name }];
  const forms = compileRenaming(names)({ [was]: describeForm(before.type) });
  const isSame =
    isJsonObject(forms) &&
    JSON.stringify(withOrder(forms[name] ?? null)) === JSON.stringify(withOrder(describeForm(after.type)));
  if (!isSame)
    return [`${path} has another type: add another field, and remove this one in a later deployment; or ${STOP}`];
  const values = before.values.map(
    ([place, each]) => [renamePlace(was + place, names).slice(name.length), each] as const,
  );
  return fieldProblems(path, { ...after, required: before.required, values }, after);
}

/** The form in which values are stored as a value of the same shape. */
function describeForm(type: ValueType): Json {
  switch (type.kind) {
    case 'object':
      return Object.fromEntries(
        type.members.map((member): [string, Json] => [member.name, describeMember(member.type, member.nullable)]),
      );
    case 'array':
      return [describeMember(type.item.type, type.item.nullable)];
    case 'map':
      return { '*': describeMember(type.value.type, type.value.nullable) };
    case 'text':
    case 'integer':
    case 'number':
    case 'boolean':
    case 'date-time':
    case 'decimal':
    case 'int64':
    case 'binary':
    case 'json':
      return JSON.stringify(storedForm(type));
  }
}

function describeMember(type: ValueType, nullable: boolean): Json {
  const form = describeForm(type);
  return typeof form === 'string' && nullable ? `${form} or null` : form;
}

/** The members in a fixed order, without objects of which all members have moved. */
function withOrder(form: Json): Json {
  if (Array.isArray(form)) return form.map((item: Json) => withOrder(item));
  if (!isJsonObject(form)) return form;
  const members = Object.entries(form).flatMap(([name, held]): readonly (readonly [string, Json])[] => {
    const inner = withOrder(held);
    return isJsonObject(inner) && Object.keys(inner).length === 0 ? [] : [[name, inner]];
  });
  return Object.fromEntries(members.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Renames a place of values, whose marks of lists and maps are the same. */
function renamePlace(place: string, names: readonly RenamedPath[]): string {
  const marked = (path: string): string => path.replaceAll('.*', '[]');
  const found = names
    .filter(({ from }) => `${place}.`.startsWith(`${marked(from)}.`) || place.startsWith(`${marked(from)}[]`))
    .toSorted((one, other) => other.from.length - one.from.length)[0];
  return found === undefined ? place : marked(found.to) + place.slice(marked(found.from).length);
}
