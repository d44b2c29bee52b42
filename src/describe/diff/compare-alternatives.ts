import type { Json } from '../../conventions/json/json.ts';
import type { Pair } from '../../model/diff/comparers.ts';
import { type Difference, difference } from '../../model/diff/difference.ts';
import type { SchemaComparer, SchemaPlace } from './schema-comparer.ts';
import type { SchemaForm, SchemaReader } from './schema-form.ts';

/** The differences of the schemas of which a value fulfils one (`anyOf`, `oneOf`). They are matched by name, the rest in their order. */
export function compareAlternatives(
  forms: Pair<SchemaForm>,
  at: SchemaPlace,
  of: SchemaComparer,
): readonly Difference[] {
  const [was, is] = forms;
  if (was.alternatives === null && is.alternatives === null) return [];
  const [before, after] = [readAlternatives(was, of.readers[0]), readAlternatives(is, of.readers[1])];
  const pairs: Pair<SchemaForm>[] = [];
  const added: SchemaForm[] = [];
  for (const form of after) {
    const index = before.findIndex(({ name }) => name !== null && name === form.name);
    const [same] = index < 0 ? [] : before.splice(index, 1);
    if (same === undefined) added.push(form);
    else pairs.push([same, form]);
  }
  while (before.length > 0 && added.length > 0) {
    const [one, other] = [before.shift(), added.shift()];
    if (one !== undefined && other !== undefined) pairs.push([one, other]);
  }
  return [
    ...pairs.flatMap((pair) => of.compareForms(pair, at)),
    ...added.map((form) => difference('alternative-added', at, `may also be ${describeAlternative(form)}`)),
    ...before.map((form) => difference('alternative-removed', at, `is no longer ${describeAlternative(form)}`)),
  ];
}

/** A schema without alternatives is the only one. Whether null is a value is compared for all of them. */
function readAlternatives(form: SchemaForm, reader: SchemaReader): SchemaForm[] {
  if (form.alternatives === null) return [{ ...form, nullable: false }];
  return form.alternatives.map((each: Json) => reader.form(each));
}

function describeAlternative({ name, types }: SchemaForm): string {
  return name ?? `another schema${types === null ? '' : ` of type ${[...types].join(' or ')}`}`;
}
