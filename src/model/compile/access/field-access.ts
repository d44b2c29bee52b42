import { fieldOfPath } from '../../../conventions/text/field-path.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import { suggestName } from '../../document/model-error.ts';
import { type AccessRule, isNarrower } from '../../access-rules.ts';
import type { FieldAccess, Resource } from '../../model.ts';
import { readObject } from '../../values/access.ts';
import { readAccessRule } from './access.ts';

/**
 * Compiles `access.fields`: the callers that may read and write single fields.
 *
 * Reports fields that `q`, the default order or a computed member reads, if callers of these may not read them.
 * Their values would show there.
 *
 * @param access the `access` of the resource
 */
export function compileFieldAccess(access: CompileContext, resource: Resource): ReadonlyMap<string, FieldAccess> {
  const declared = Object.entries(readObject(access.declared['fields']));
  const fields = new Map<string, FieldAccess>();
  for (const [name, rules] of declared) {
    const { read, write } = readObject(rules);
    fields.set(name, {
      read: read === undefined ? null : readAccessRule(read),
      write: write === undefined ? null : readAccessRule(write),
    });
  }
  const context = { ...access, path: [...access.path, 'fields'] };
  for (const name of fields.keys()) checkField(name, fields, context, resource);
  return fields;
}

function checkField(
  name: string,
  fields: ReadonlyMap<string, FieldAccess>,
  { path, report }: CompileContext,
  resource: Resource,
): void {
  const field = resource.field.get(name);
  const computed = resource.computed.some((each) => each.name === name);
  if (field === undefined && !computed) {
    const known = [...resource.field.keys(), ...resource.computed.map((each) => each.name)];
    report([...path, name], `${resource.name} has no field ${name}`, suggestName(name, known));
    return;
  }
  const { read = null, write = null } = fields.get(name) ?? {};
  if (read !== null && name === resource.parent?.field) {
    report([...path, name, 'read'], `${name} is part of the URL of every ${resource.singular}`, 'remove read');
  }
  if (write !== null && field?.readOnly !== false) {
    report([...path, name, 'write'], `callers cannot write ${name}, which is read-only`, 'remove write');
  }
  const reader = read === null ? null : wideReader(name, read, fields, resource);
  if (reader === null) return;
  const fix = `remove ${name} from it, or let everyone who reads it read ${name}`;
  report([...path, name, 'read'], `${reader} would show values of ${name} to callers who may not read it`, fix);
}

/** Finds a feature that shows values of a field to callers who may not read it; null for none. */
function wideReader(
  name: string,
  read: AccessRule,
  fields: ReadonlyMap<string, FieldAccess>,
  { access, search, sort, timeField, computed }: Resource,
): string | null {
  const isField = (path: string): boolean => fieldOfPath(path) === name;
  if (isNarrower(read, access.read)) {
    if (search.some(isField)) return 'search';
    if (sort.some(({ path }) => isField(path))) return 'the default sort';
    if (timeField !== null && isField(timeField)) return 'time_field';
  }
  const shown = computed.find(
    ({ name: member, from }) => from.includes(name) && isNarrower(read, fields.get(member)?.read ?? access.read),
  );
  return shown === undefined ? null : `the computed member ${shown.name}`;
}
