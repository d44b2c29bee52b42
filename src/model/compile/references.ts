import { isJsonObject, type Json } from '../../conventions/json.ts';
import type { CompileContext } from '../document/compile-context.ts';
import { numberOf, objectOf, stringOf } from '../values/access.ts';
import type { Member, OnDelete, Reference, ValueType } from '../model.ts';
import type { Path } from '../values/path.ts';
import { reportUnknownResource } from '../document/unknown-name.ts';

const SUFFIX = '_id';

/**
 * The relation that a field declares by `x-references`, itself or its items; null where it declares none.
 *
 * @param resources names of all resources
 */
export function compileReference(
  member: Member,
  field: CompileContext,
  resources: ReadonlySet<string>,
): Reference | null {
  const many = member.type.kind === 'array';
  const items = objectOf(field.declared['items']);
  if (many && field.declared['x-references'] !== undefined) {
    field.report([...field.path, 'x-references'], 'a list refers by its items', 'declare x-references under items');
  }
  const holder = many ? { ...field, declared: items, path: [...field.path, 'items'] } : field;
  const declared = holder.declared['x-references'];
  if (declared === undefined) return null;
  const path = [...holder.path, 'x-references'];
  const long: CompileContext = { ...field, declared: longForm(declared), path };
  checkHolder(member.type, long);
  const resource = stringOf(long.declared['resource']) ?? '';
  checkTarget(resource, resources, isJsonObject(declared) ? [...path, 'resource'] : path, long);
  const onDelete = compileOnDelete(stringOf(long.declared['on_delete']), member, field, path);
  return { resource, as: compileAs(member, long), inverse: stringOf(long.declared['inverse']), onDelete };
}

function longForm(declared: Json): CompileContext['declared'] {
  return isJsonObject(declared) ? declared : { resource: declared };
}

function checkHolder(type: ValueType, { path, report }: CompileContext): void {
  const value = type.kind === 'array' ? type.item.type : type;
  if (value.kind !== 'text' || (value.format !== null && value.format !== 'uuid')) {
    report(path, 'an id is plain text', 'refer from a field of type string, or from a list of them');
  } else if (type.kind === 'array' && type.item.nullable) {
    report(path, 'an item that refers to a row is never null', "leave 'null' out of the type of items");
  }
}

function checkTarget(resource: string, resources: ReadonlySet<string>, at: Path, { report }: CompileContext): void {
  if (resource === '' || resources.has(resource)) return;
  reportUnknownResource(report, at, resource, resources);
}

/** A list refers to many rows, so it has no to-one relation to name. */
function compileAs(member: Member, { declared, path, report }: CompileContext): string | null {
  const given = stringOf(declared['as']);
  if (member.type.kind === 'array') {
    if (given !== null) {
      report([...path, 'as'], 'as names a relation to one row, and a list refers to many', 'remove it');
    }
    return null;
  }
  if (given !== null) return given;
  if (member.name.endsWith(SUFFIX) && member.name !== SUFFIX) return member.name.slice(0, -SUFFIX.length);
  const cause = `the relation needs a name, as ${member.name} does not end with ${SUFFIX}`;
  report(path, cause, `write {resource: .., as: name}, or call the field ${member.name}${SUFFIX}`);
  return null;
}

function compileOnDelete(declared: string | null, member: Member, field: CompileContext, path: Path): OnDelete {
  if (declared === 'cascade') return declared;
  if (declared !== 'nullify') return 'restrict';
  const bare = member.type.kind === 'array' ? (numberOf(field.declared['minItems']) ?? 0) === 0 : member.nullable;
  if (!bare) {
    const fix = 'make the field optional, or choose restrict or cascade';
    field.report([...path, 'on_delete'], 'nullify would leave a value that the field may not have', fix);
  }
  return declared;
}
