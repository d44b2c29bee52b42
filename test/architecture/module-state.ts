import { type Node, type Program, type Span, type VariableDeclarator, Visitor } from 'oxc-parser';
import { immutableClasses } from './layout.ts';

/** A binding at the top level of a module, or a static member, whose value can change. */
export interface ModuleState extends Span {
  readonly name: string;
  /** The reason, as a clause about the name. */
  readonly reason: string;
}

/** Classes whose instances are state only if a method changes them, which is found too, and immutable ones. */
const immutable: ReadonlySet<string> = new Set([
  ...'Map Set RegExp TextEncoder TextDecoder URL Error Uint8Array Int32Array Uint32Array Date'.split(' '),
  ...immutableClasses,
]);

/** Functions whose results hold state by their names: `createCache`, `openStore`. */
const factory = /^(?:create|open|start)(?!Require$)[A-Z]/;

const mutators: ReadonlySet<string> = new Set(
  'set add delete clear push pop shift unshift splice sort reverse fill copyWithin getOrInsert getOrInsertComputed'.split(
    ' ',
  ),
);

/** Finds the state of a module: what outlives a call and can change. */
export function findModuleState(program: Program): readonly ModuleState[] {
  const declared = program.body.flatMap(declaratorsIn);
  const changed = changedNames(program);
  const state = declared.flatMap(({ kind, declarator }): readonly ModuleState[] => {
    const { id, init, start, end } = declarator;
    if (id.type !== 'Identifier') return kind === 'const' ? [] : [{ name: 'a pattern', reason: VARIABLE, start, end }];
    const reason = kind === 'const' ? stateOfConstant(id.name, init, changed) : VARIABLE;
    return reason === null ? [] : [{ name: id.name, reason, start, end }];
  });
  return [...state, ...staticState(program)];
}

const VARIABLE = 'is a variable of the module';

interface Declared {
  readonly kind: string;
  readonly declarator: VariableDeclarator;
}

function declaratorsIn(statement: Node): readonly Declared[] {
  if (statement.type === 'ExportNamedDeclaration')
    return statement.declaration === null ? [] : declaratorsIn(statement.declaration);
  if (statement.type !== 'VariableDeclaration' || statement.declare === true) return [];
  const { kind } = statement;
  return statement.declarations.map((declarator) => ({ kind, declarator }));
}

function stateOfConstant(name: string, init: Node | null, changed: ReadonlySet<string>): string | null {
  if (changed.has(name)) return 'is changed in place';
  if (init?.type === 'NewExpression') {
    const made = init.callee.type === 'Identifier' ? init.callee.name : null;
    return made === null || immutable.has(made) ? null : `is an instance of ${made}`;
  }
  if (init?.type !== 'CallExpression' || init.callee.type !== 'Identifier') return null;
  return factory.test(init.callee.name) ? `is made by ${init.callee.name}` : null;
}

/** The names whose members are assigned, or that a method changes. */
function changedNames(program: Program): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (node: Node): void => {
    const name = node.type === 'MemberExpression' ? findRoot(node) : null;
    if (name !== null) names.add(name);
  };
  new Visitor({
    // A sticky pattern is set to where it starts before each use.
    AssignmentExpression: ({ left }) => {
      if (memberName(left) !== 'lastIndex') add(left);
    },
    UpdateExpression: ({ argument }) => add(argument),
    UnaryExpression: ({ operator, argument }) => {
      if (operator === 'delete') add(argument);
    },
    CallExpression: ({ callee }) => {
      if (mutators.has(memberName(callee) ?? '')) add(callee);
    },
  }).visit(program);
  return names;
}

function memberName(node: Node): string | null {
  return node.type === 'MemberExpression' && node.property.type === 'Identifier' ? node.property.name : null;
}

/** The name at the start of a chain of members: `queues` of `queues[phase].push`. */
function findRoot(node: Node): string | null {
  if (node.type === 'Identifier') return node.name;
  return node.type === 'MemberExpression' ? findRoot(node.object) : null;
}

function staticState(program: Program): readonly ModuleState[] {
  const found: ModuleState[] = [];
  new Visitor({
    PropertyDefinition: ({ static: isStatic, readonly, key, start, end }) => {
      if (!isStatic || readonly) return;
      const name = 'name' in key && typeof key.name === 'string' ? key.name : 'a member';
      found.push({ name, reason: 'is a static member that is not readonly', start, end });
    },
  }).visit(program);
  return found;
}
