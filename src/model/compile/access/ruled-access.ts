import { isJsonObject } from '../../../conventions/json/json.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import { reportUnknownMember, suggestName } from '../../document/model-error.ts';
import type { AccessOperation, Resource, RowRules } from '../../model.ts';
import type { Policy, RowRule } from '../../policy.ts';
import type { UncheckedCode } from '../../typescript/split-definition.ts';
import { readObject, readString } from '../../values/access.ts';
import { compileFieldAccess } from './field-access.ts';
import { compilePolicy } from './policy.ts';

const OPERATIONS: readonly AccessOperation[] = ['read', 'create', 'update', 'delete'];

/** The access of a resource to single rows and fields. */
export type RuledAccess = Pick<Resource, 'rows' | 'owner' | 'fieldAccess'>;

const NO_RULES: RowRules = { read: [], create: [], update: [], delete: [] };

/** The access of a resource without row policies, owner and rules on fields. */
export const NO_RULED_ACCESS: RuledAccess = { rows: NO_RULES, owner: null, fieldAccess: new Map() };

/** The sources of the row and field rules of a resource. */
interface RuleInputs {
  readonly resource: Resource;
  /** All resources by name. */
  readonly resources: ReadonlyMap<string, Resource>;
  /** The functions of a TypeScript model; null for a document. */
  readonly code: UncheckedCode | null;
}

/**
 * Compiles the rows and fields that callers may access, from `fields`, `rows` and `owner`.
 * In `rows`, `create`, `update` and `delete` default to `read`.
 * `owner` also applies to `update`, to `delete` and, unless everyone may read, to `read`.
 */
export function compileRuledAccess({ declared, path, report }: CompileContext, inputs: RuleInputs): RuledAccess {
  const access: CompileContext = { declared: readObject(declared['access']), path: [...path, 'access'], report };
  const owner = compileOwner(access, inputs.resource);
  const rules = declaredRules(access, inputs);
  const read = rules.get('read') ?? [];
  const isPublic = inputs.resource.access.read.kind === 'public';
  const owned = owner?.rules ?? [];
  const change = (operation: AccessOperation): readonly RowRule[] => [...(rules.get(operation) ?? read), ...owned];
  return {
    rows: {
      read: isPublic ? read : [...read, ...owned],
      create: rules.get('create') ?? read,
      update: change('update'),
      delete: change('delete'),
    },
    owner: owner?.field ?? null,
    fieldAccess: compileFieldAccess(access, inputs.resource),
  };
}

/** The rules of the operations that have some of their own. */
function declaredRules(
  { declared: access, path, report }: CompileContext,
  { code, ...context }: RuleInputs,
): ReadonlyMap<AccessOperation, readonly RowRule[]> {
  const at = [...path, 'rows'];
  const trees = readObject(access['rows']);
  const functions: NonNullable<UncheckedCode['rows']> = code?.rows ?? new Map();
  for (const name of functions.keys()) {
    if (!OPERATIONS.some((each) => each === name)) {
      reportUnknownMember(report, [...at, name], suggestName(name, OPERATIONS));
    }
  }
  const rules = new Map<AccessOperation, readonly RowRule[]>();
  for (const operation of OPERATIONS) {
    const policyOf = functions.get(operation);
    const tree = trees[operation];
    if (policyOf !== undefined) rules.set(operation, [{ kind: 'function', policyOf }]);
    else if (tree !== undefined) {
      const policy = compilePolicy(tree, [...at, operation], { ...context, report, isResult: false });
      rules.set(operation, [{ kind: 'policy', policy }]);
    }
  }
  return rules;
}

/** The field that holds the owner of a row, and the rules that it comes to. */
interface CompiledOwner {
  readonly field: string;
  readonly rules: readonly RowRule[];
}

function compileOwner({ declared, path, report }: CompileContext, resource: Resource): CompiledOwner | null {
  const { owner } = declared;
  if (owner === undefined) return null;
  const name = readString(isJsonObject(owner) ? owner['field'] : owner) ?? '';
  const bypass = readString(readObject(owner)['bypass']);
  const field = resource.field.get(name);
  const isText = field?.type.kind === 'text' && field.type.format === null;
  const isFree =
    field?.readOnly === true && field.generator === null && field.fill === null && name !== resource.parent?.field;
  if (!isText || !isFree || field.writeOnly) {
    const cause = `${name} is not a readOnly string: the server writes the caller into it`;
    const at = isJsonObject(owner) ? [...path, 'owner', 'field'] : [...path, 'owner'];
    report(at, cause, `declare ${name === '' ? 'the field' : name} as { type: string, readOnly: true }`);
    return null;
  }
  const isOwner: Policy = {
    kind: 'compare',
    references: [],
    resource: resource.name,
    path: name,
    operator: 'eq',
    value: { kind: 'caller', member: 'owner' },
  };
  const policy: Policy =
    bypass === null ? isOwner : { kind: 'any', policies: [{ kind: 'scope', scope: bypass }, isOwner] };
  return { field: name, rules: [{ kind: 'policy', policy }] };
}
