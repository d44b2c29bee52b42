import type { JsonObject } from '../../conventions/json.ts';
import { CodeReader } from '../typescript/code-reader.ts';
import { compileComputedFields } from './computed-fields.ts';
import type { CompileContext } from '../document/compile-context.ts';
import { type Hooks, NO_HOOKS } from '../typescript/hooks.ts';
import type { ComputedField, Field } from '../model.ts';

/** The members of a resource in TypeScript that are code; all others are data. */
export const CODE_MEMBERS = ['computed', 'before', 'check', 'after', 'policy'] as const;

type CodeMember = (typeof CODE_MEMBERS)[number];

/** The code of a resource as its module has it: nothing is known of it yet. */
export type UncheckedCode = Readonly<Partial<Record<CodeMember, unknown>>>;

/** Whether a member of a resource is code. */
export function isCodeMember(name: string): name is CodeMember {
  return CODE_MEMBERS.some((member) => member === name);
}

/** What a resource's code compiles to. */
export interface CompiledCode {
  readonly computed: readonly ComputedField[];
  readonly hooks: Hooks;
}

/** A resource that is declared in data. */
export const NO_CODE: CompiledCode = { computed: [], hooks: NO_HOOKS };

/**
 * Compiles the code of a resource; whatever is none is announced.
 *
 * @param fields those of the resource, its parent's id too
 * @param document the whole document, whose definitions computed members may refer to
 */
export function compileCode(
  code: UncheckedCode,
  fields: readonly Field[],
  resource: CompileContext,
  document: JsonObject,
): CompiledCode {
  const { path, report } = resource;
  if (code.policy !== undefined) {
    const cause = 'policy is not served yet, and without it everybody may read and write';
    report([...path, 'policy'], cause, 'remove it, or wait for the version that serves it');
  }
  const read = new CodeReader(report);
  return {
    computed: compileComputedFields(code.computed, [...path, 'computed'], read, { fields, document, report }),
    hooks: compileHooks(code, fields, resource, read),
  };
}

function compileHooks(
  code: UncheckedCode,
  fields: readonly Field[],
  { declared, path, report }: CompileContext,
  read: CodeReader,
): Hooks {
  const before = read.functions(code.before, [...path, 'before'], ['create', 'update', 'delete']);
  const after = read.functions(code.after, [...path, 'after'], ['created', 'updated', 'deleted']);
  if (after.size > 0 && declared['events'] === 'none') {
    const fix = 'set events to thin or full, or leave after out';
    report([...path, 'after'], 'after is fed by events, and this resource publishes none', fix);
  }
  const writable = fields.filter(({ readOnly }) => !readOnly).map(({ name }) => name);
  return {
    before: {
      create: before.get('create') ?? null,
      update: before.get('update') ?? null,
      delete: before.get('delete') ?? null,
    },
    check: read.functions(code.check, [...path, 'check'], writable),
    after: {
      created: after.get('created') ?? null,
      updated: after.get('updated') ?? null,
      deleted: after.get('deleted') ?? null,
    },
  };
}
