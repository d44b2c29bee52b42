import { linkName } from '../../link-name.ts';
import { isJsonObject, type Json } from '../../../conventions/json/json.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import { reportUnknownResource } from '../../document/model-error.ts';
import type {
  CollectionLink,
  Dependent,
  Field,
  Member,
  OnDelete,
  Reference,
  Resource,
  ValueType,
} from '../../model.ts';
import { readNumber, readObject, readString } from '../../values/access.ts';
import type { Path } from '../../path.ts';
import { relationName, RESERVED_FIELDS } from './names.ts';

/** The links of every representation (REP-9). */
const FIXED_LINKS: ReadonlySet<string> = new Set(['self', 'collection', 'up']);

/**
 * Compiles the reference that a field, or the items of an array field, declare by `x-references`; null if there is
 * none.
 *
 * @param resources names of all resources
 */
export function compileReference(
  member: Member,
  field: CompileContext,
  resources: ReadonlySet<string>,
): Reference | null {
  const many = member.type.kind === 'array';
  const items = readObject(field.declared['items']);
  if (many && field.declared['x-references'] !== undefined) {
    const fix = 'declare x-references under items';
    field.report([...field.path, 'x-references'], 'the items of an array are the references, not the array', fix);
  }
  const holder = many ? { ...field, declared: items, path: [...field.path, 'items'] } : field;
  const declared = holder.declared['x-references'];
  if (declared === undefined) return null;
  const path = [...holder.path, 'x-references'];
  const long: CompileContext = { ...field, declared: longForm(declared), path };
  checkHolder(member.type, long);
  const resource = readString(long.declared['resource']) ?? '';
  checkTarget(resource, resources, isJsonObject(declared) ? [...path, 'resource'] : path, long);
  const onDelete = compileOnDelete(readString(long.declared['on_delete']), member, field, path);
  const unread = long.declared['unread'] === 'allow' ? ({ unread: 'allow' } as const) : {};
  return { resource, as: compileAs(member, long), inverse: readString(long.declared['inverse']), onDelete, ...unread };
}

function longForm(declared: Json): CompileContext['declared'] {
  return isJsonObject(declared) ? declared : { resource: declared };
}

function checkHolder(type: ValueType, { path, report }: CompileContext): void {
  const value = type.kind === 'array' ? type.item.type : type;
  if (value.kind !== 'text' || (value.format !== null && value.format !== 'uuid')) {
    report(path, 'a reference must be a string, because ids are strings', 'write type: string, without a format');
  } else if (type.kind === 'array' && type.item.nullable) {
    report(path, 'a reference in an array cannot be null', "remove 'null' from the type of items");
  }
}

function checkTarget(resource: string, resources: ReadonlySet<string>, at: Path, { report }: CompileContext): void {
  if (resource === '' || resources.has(resource)) return;
  reportUnknownResource(report, at, resource, resources);
}

/** The name of the relation: declared, or that of the field. An array may have none. */
function compileAs(member: Member, { declared, path, report }: CompileContext): string | null {
  const isArray = member.type.kind === 'array';
  const name = readString(declared['as']) ?? relationName(member.name, isArray);
  if (name !== null || isArray) return name;
  const cause = `the relation has no name, because ${member.name} does not end with _id`;
  report(path, cause, `write {resource: .., as: name}, or rename the field to ${member.name}_id`);
  return null;
}

function compileOnDelete(declared: string | null, member: Member, field: CompileContext, path: Path): OnDelete {
  if (declared === 'cascade') return declared;
  if (declared !== 'nullify') return 'restrict';
  const mayBeUnset =
    member.type.kind === 'array' ? (readNumber(field.declared['minItems']) ?? 0) === 0 : member.nullable;
  if (!mayBeUnset) {
    const fix = 'make the field optional, or choose restrict or cascade';
    field.report([...path, 'on_delete'], 'nullify is not possible, because the field is required', fix);
  }
  return declared;
}

/** A resource, as far as its relations matter. */
export type RelatedResource = Pick<Resource, 'name' | 'collection' | 'fields' | 'parent'> & CompileContext;

/** A field that references a resource. */
interface Referrer {
  readonly resource: RelatedResource;
  readonly field: Field;
  readonly reference: Reference;
  /** True if the field is the reference of a child to its parent. */
  readonly child: boolean;
}

/** The fields that reference each resource, by its name: those of its children first. */
export type ReferrersByTarget = ReadonlyMap<string, readonly Referrer[]>;

/** Groups the references of all resources by their target. */
export function groupReferrers(resources: readonly RelatedResource[]): ReferrersByTarget {
  const references = resources.flatMap((resource) =>
    resource.fields.flatMap((field): readonly Referrer[] =>
      field.reference === null
        ? []
        : [{ resource, field, reference: field.reference, child: resource.parent?.field === field.name }],
    ),
  );
  const childrenFirst = [...references.filter(({ child }) => child), ...references.filter(({ child }) => !child)];
  return Map.groupBy(childrenFirst, ({ reference }) => reference.resource);
}

/** The fields that reference a resource: those of its children first. */
export function listDependents(name: string, referrers: ReferrersByTarget): readonly Dependent[] {
  return (referrers.get(name) ?? []).map(({ resource, field, reference, child }) => ({
    resource: resource.name,
    field: field.name,
    many: field.type.kind === 'array',
    onDelete: reference.onDelete,
    child,
  }));
}

/** The collections that representations of a resource link to: its children, then its inverse relations (REP-9). */
export function listCollectionLinks(name: string, referrers: ReferrersByTarget): readonly CollectionLink[] {
  return (referrers.get(name) ?? []).flatMap(({ resource, field, reference, child }): readonly CollectionLink[] => {
    if (child)
      return [{ name: childLink(resource, reference), resource: resource.name, kind: 'child', field: field.name }];
    if (reference.inverse === null) return [];
    return [{ name: reference.inverse, resource: resource.name, kind: 'inverse', field: field.name }];
  });
}

/** The name of the link from a row to its sub-collection: declared, or that of the collection. */
function childLink(resource: RelatedResource, { inverse }: Reference): string {
  return inverse ?? linkName(resource);
}

/** Reports relations and links whose name the representation already uses. */
export function checkRelationNames(resources: readonly RelatedResource[], referrers: ReferrersByTarget): void {
  for (const target of resources) {
    const used = new Set([...FIXED_LINKS, ...RESERVED_FIELDS, ...target.fields.map((field) => field.name)]);
    const claim = (name: string, { path, report }: CompileContext, at: Path): void => {
      if (used.has(name)) {
        const cause = `the name of the relation ${name} is already in use in ${target.name}`;
        report([...path, ...at], cause, `rename the relation with as: or inverse: in ${String(at.at(-1))}`);
      }
      used.add(name);
    };
    for (const field of target.fields) {
      const as = field.reference?.as ?? null;
      if (as !== null) claim(as, target, referencePath(target, field));
    }
    for (const { resource, field, reference, child } of referrers.get(target.name) ?? []) {
      if (child) claim(childLink(resource, reference), resource, ['parent']);
      else if (reference.inverse !== null) claim(reference.inverse, resource, referencePath(resource, field));
    }
  }
}

/** The path of the reference that a field of a resource declares. */
export function referencePath(resource: RelatedResource, field: Field): Path {
  if (resource.parent?.field === field.name) return ['parent'];
  const items = field.type.kind === 'array' ? ['items'] : [];
  return ['schema', 'properties', field.name, ...items, 'x-references'];
}
