import type { CompileContext } from '../../document/compile-context.ts';
import type { Field, Member } from '../../model.ts';
import { readObject, readString } from '../../values/access.ts';
import { checkClosed, compileMembers } from './field-types.ts';
import { checkFormerNames } from './former-names.ts';
import { RESERVED_FIELDS } from './names.ts';
import { compileReference } from './references.ts';

/** Keywords of values that a resource cannot have. */
const VALUE_KEYWORDS = ['default', 'enum', 'const', 'items', 'format', 'minProperties', 'maxProperties'];

/**
 * Compiles the declared fields of a resource, in declared order.
 *
 * @param schema the schema of the resource, its `$ref`s resolved
 * @param resources names of all resources, for references
 */
export function compileFields(schema: CompileContext, resources: ReadonlySet<string>): readonly Field[] {
  checkRoot(schema);
  const properties = readObject(schema.declared['properties']);
  const fields = compileMembers(schema, 'field').map((member) => {
    const path = [...schema.path, 'properties', member.name];
    return compileField(member, { ...schema, declared: readObject(properties[member.name]), path }, resources);
  });
  checkFormerNames(schema);
  checkSources(schema);
  return fields;
}

/** Reports a name in imported files that several fields have. */
function checkSources({ declared, path, report }: CompileContext): void {
  const fields = Object.entries(readObject(declared['properties']));
  const owners = new Map<string, string>();
  for (const [name, field] of fields) {
    const source = readString(readObject(field)['x-source']) ?? name;
    const owner = owners.get(source);
    if (owner === undefined) owners.set(source, name);
    else {
      const at = [...path, 'properties', name, ...('x-source' in readObject(field) ? ['x-source'] : [])];
      report(at, `in imported files, ${source} is the name of ${owner} already`, 'set x-source to another name');
    }
  }
}

function compileField(member: Member, context: CompileContext, resources: ReadonlySet<string>): Field {
  const { declared, path, report } = context;
  const readOnly = declared['readOnly'] === true;
  const writeOnly = declared['writeOnly'] === true;
  if (RESERVED_FIELDS.has(member.name)) {
    report(path, `${member.name} is a system field of every resource`, 'choose another name');
  }
  if (readOnly && writeOnly) {
    report([...path, 'writeOnly'], 'a field cannot be both readOnly and writeOnly', 'remove one of them');
  }
  if (readOnly && member.required && !('default' in member) && declared['x-default'] === undefined) {
    const fix = 'declare a default, or remove it from required';
    report([...path, 'readOnly'], 'a field that is required and read-only can never be set', fix);
  }
  return {
    ...member,
    readOnly,
    writeOnly,
    immutable: declared['x-immutable'] === true,
    was: readString(declared['x-was']),
    reference: compileReference(member, context, resources),
    generator: null,
    shownOnce: false,
    fill: null,
  };
}

function checkRoot(schema: CompileContext): void {
  const { declared, path, report } = schema;
  if (declared['type'] !== 'object') {
    const at = declared['type'] === undefined ? path : [...path, 'type'];
    report(at, 'the schema of a resource must describe an object', 'write type: object');
  }
  const additional = declared['additionalProperties'];
  checkClosed(typeof additional === 'object' ? true : additional, schema);
  for (const keyword of VALUE_KEYWORDS) {
    if (keyword in declared) report([...path, keyword], `${keyword} does not apply to a resource`, 'remove it');
  }
}
