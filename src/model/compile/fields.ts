import type { Json } from '../../conventions/json.ts';
import type { CompileContext } from '../document/compile-context.ts';
import { objectOf, stringOf } from '../values/access.ts';
import type { Field, Member } from '../model.ts';
import { compileReference } from './references.ts';
import { checkClosed, compileMembers } from './field-types.ts';

/** REP-12. */
export const RESERVED_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'created_at',
  'updated_at',
  'deleted_at',
  'revision',
  'links',
]);

/** Keywords of a value that the whole of a resource cannot have. */
const NOT_OF_A_RESOURCE = ['default', 'enum', 'const', 'items', 'format', 'minProperties', 'maxProperties'];

/**
 * The declared fields of a resource, in declared order.
 *
 * @param schema the resource's schema, its `$ref`s resolved
 * @param resources names of all resources, which fields may refer to
 */
export function compileFields(schema: CompileContext, resources: ReadonlySet<string>): readonly Field[] {
  checkRoot(schema);
  const properties = objectOf(schema.declared['properties']);
  const fields = compileMembers(schema, 'field').map((member) => {
    const path = [...schema.path, 'properties', member.name];
    return compileField(member, { ...schema, declared: objectOf(properties[member.name]), path }, resources);
  });
  checkFormerFields(fields, schema);
  return fields;
}

function compileField(member: Member, declaration: CompileContext, resources: ReadonlySet<string>): Field {
  const { declared, path, report } = declaration;
  const readOnly = declared['readOnly'] === true;
  const writeOnly = declared['writeOnly'] === true;
  if (RESERVED_FIELDS.has(member.name)) {
    report(path, `${member.name} is a member of every resource`, 'choose another name');
  }
  if (readOnly && writeOnly) {
    report(
      [...path, 'writeOnly'],
      'a field that is neither read nor written is no field',
      'keep readOnly or writeOnly',
    );
  }
  if (readOnly && member.required && isAbsent(member.default)) {
    const fix = 'give it a default, or leave it out of required';
    report([...path, 'readOnly'], 'nobody could set a required field that is read-only', fix);
  }
  return {
    ...member,
    readOnly,
    writeOnly,
    immutable: declared['x-immutable'] === true,
    was: stringOf(declared['x-was']),
    reference: compileReference(member, declaration, resources),
  };
}

function isAbsent(value: Json | undefined): boolean {
  return value === undefined;
}

function checkRoot(schema: CompileContext): void {
  const { declared, path, report } = schema;
  if (declared['type'] !== 'object') {
    const at = declared['type'] === undefined ? path : [...path, 'type'];
    report(at, 'the schema of a resource describes an object', 'write type: object');
  }
  const additional = declared['additionalProperties'];
  checkClosed(typeof additional === 'object' ? true : additional, schema);
  for (const keyword of NOT_OF_A_RESOURCE) {
    if (keyword in declared) report([...path, keyword], `${keyword} says nothing about a resource`, 'remove it');
  }
}

/** Two fields cannot have been one, nor one that still stands. */
function checkFormerFields(fields: readonly Field[], { path, report }: CompileContext): void {
  const claimed = new Set(fields.map(({ name }) => name));
  for (const { name, was } of fields) {
    if (was === null) continue;
    if (claimed.has(was)) {
      const fix = 'give the name that storage knew the field by before';
      report([...path, 'properties', name, 'x-was'], `the name ${was} is in use`, fix);
    }
    claimed.add(was);
  }
}
