import type { JsonObject } from '../../../conventions/json/json.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import type { ComputedField, Field } from '../../model.ts';
import { readObject } from '../../values/access.ts';
import { type Hooks, NO_HOOKS, type Refine } from '../../hooks.ts';
import { compileRefine } from '../../typescript/refinements.ts';
import { CodeReader } from '../../typescript/module-values.ts';
import type { UncheckedCode } from '../../typescript/split-definition.ts';
import { compileComputedFields } from '../fields/computed-fields.ts';

/** The compiled functions of a resource. */
interface CompiledCode {
  readonly computed: readonly ComputedField[];
  readonly hooks: Hooks;
}

/** The code of a resource that is declared in a document. */
export const NO_CODE: CompiledCode = { computed: [], hooks: NO_HOOKS };

/**
 * Compiles the functions of a resource and reports members that are not functions.
 *
 * @param fields of the resource, with the id of its parent
 * @param document the whole document, whose definitions computed members can use
 */
export function compileCode(
  code: UncheckedCode,
  fields: readonly Field[],
  resource: CompileContext,
  document: JsonObject,
): CompiledCode {
  const { path, report } = resource;
  const reader = new CodeReader(report);
  return {
    computed: compileComputedFields(code.computed, [...path, 'computed'], { fields, document, reader, report }),
    hooks: compileHooks(code, fields, resource, reader),
  };
}

function compileHooks(
  code: UncheckedCode,
  fields: readonly Field[],
  { declared, path, report }: CompileContext,
  reader: CodeReader,
): Hooks {
  const before = reader.functions(code.before, [...path, 'before'], ['create', 'update', 'delete']);
  const after = reader.functions(code.after, [...path, 'after'], ['created', 'updated', 'deleted']);
  if (after.size > 0 && declared['events'] === 'none') {
    const fix = 'set events to thin or full, or remove after';
    report([...path, 'after'], 'after hooks need events, but this resource publishes none', fix);
  }
  const writable = fields.filter(({ readOnly }) => !readOnly).map(({ name }) => name);
  return {
    refine: compileRefinements(code, fields, readObject(readObject(declared['schema'])['properties'])),
    before: {
      create: before.get('create') ?? null,
      update: before.get('update') ?? null,
      delete: before.get('delete') ?? null,
    },
    check: reader.functions(code.check, [...path, 'check'], writable),
    after: {
      created: after.get('created') ?? null,
      updated: after.get('updated') ?? null,
      deleted: after.get('deleted') ?? null,
    },
  };
}

/** @param properties of the declared schema: the id of a parent is not among them */
function compileRefinements(
  { validate }: UncheckedCode,
  fields: readonly Field[],
  properties: JsonObject,
): Refine | null {
  if (validate === null) return null;
  return compileRefine(
    validate,
    fields.filter(({ name }) => Object.hasOwn(properties, name)),
  );
}
