import { relationName, RESERVED_FIELDS } from '../model/compile/fields/names.ts';
import { claimName } from './field-name.ts';
import type { InferredReference } from './infer-references.ts';
import type { MemberDraft, ResourceDraft, SchemaDraft } from './model-draft.ts';

/** The names that relations cannot have (REP-9). */
const FIXED_LINKS = ['self', 'collection', 'up'];

/** A resource before its relations have names. */
export interface UnrelatedDraft {
  readonly resource: ResourceDraft;
  /** By name of the field. */
  readonly references: ReadonlyMap<string, InferredReference>;
  /** Further names that its representations use, such as those of its children. */
  readonly linked?: readonly string[];
}

/** Declares the references, with names for both directions that are not in use. */
export function nameRelations(drafts: readonly UnrelatedDraft[]): readonly ResourceDraft[] {
  const used = new Map(
    drafts.map(({ resource: { name, fields }, linked = [] }) => [
      name,
      new Set([...FIXED_LINKS, ...RESERVED_FIELDS, ...linked, ...fields.map((each) => each.name)]),
    ]),
  );
  const relations = drafts.map(({ resource: { name, fields }, references }) =>
    fields.map((field) => declaredName(field, references.get(field.name), used.get(name) ?? new Set())),
  );
  return drafts.map(({ resource, references }, index) => {
    const fields = resource.fields.map((field, position): MemberDraft => {
      const reference = references.get(field.name);
      if (reference === undefined) return field;
      const { schema } = field;
      if (reference.kind === 'note')
        return { ...field, schema: { ...schema, notes: [...schema.notes, reference.note] } };
      const inverse = inverseName(resource.name, used.get(reference.resource));
      const relation = relations[index]?.[position] ?? null;
      return { ...field, schema: referenceSchema(field, reference.resource, relation, inverse) };
    });
    return { ...resource, fields };
  });
}

/** The name of a relation, where it is not that of its field. */
function declaredName(field: MemberDraft, reference: InferredReference | undefined, used: Set<string>): string | null {
  if (reference?.kind !== 'reference') return null;
  const isArray = field.schema.items !== null;
  const name = relationName(field.name, isArray);
  // An array with another name is no relation.
  if (name === null) return isArray ? null : claimName(field.name, used);
  const claimed = claimName(name, used);
  return claimed === name ? null : claimed;
}

function inverseName(name: string, used: Set<string> | undefined): string | null {
  if (used === undefined || used.has(name)) return null;
  used.add(name);
  return name;
}

function referenceSchema(
  { schema }: MemberDraft,
  resource: string,
  as: string | null,
  inverse: string | null,
): SchemaDraft {
  const long = { resource, ...(as === null ? {} : { as }), ...(inverse === null ? {} : { inverse }) };
  const id = { type: 'string', 'x-references': as === null && inverse === null ? resource : long };
  const { 'x-source': source, description } = schema.keywords;
  const named = {
    ...(source === undefined ? {} : { 'x-source': source }),
    ...(description === undefined ? {} : { description }),
  };
  if (schema.items === null) return { ...schema, keywords: { ...id, ...named }, notes: [] };
  return { ...schema, items: { ...schema.items, keywords: id }, keywords: { type: 'array', ...named }, notes: [] };
}
