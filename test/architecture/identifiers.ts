import { type Node, visitorKeys } from 'oxc-parser';

/** The role of an identifier: it declares a name, names a property, or refers to a declaration. */
type Role = 'binding' | 'property' | 'reference';

/** Visits every identifier below a node, in the order of the source. */
export function identifiers(root: Node, visit: (name: string, start: number, part: Role) => void): void {
  const patterns = new Set<Node>();
  walk(root, null, '', (node, parent, key) => {
    if (node.type === 'ObjectPattern') for (const property of node.properties) patterns.add(property);
    if (node.type !== 'Identifier') return;
    const taken = parent !== null && key === 'value' && patterns.has(parent);
    const part = taken ? 'binding' : findRole(parent, key);
    if (part !== null) visit(node.name, node.start, part);
  });
}

/** `ParentType.key` where an identifier declares a name; `*` matches any parent. */
const bindings: ReadonlySet<string> = new Set([
  ...['id', 'params', 'param', 'parameters', 'local'].map((key) => `*.${key}`),
  'ArrayPattern.elements',
  'AssignmentPattern.left',
  'RestElement.argument',
  'TSTypeParameter.name',
  'TSMappedType.key',
]);

const properties: ReadonlySet<string> = new Set([
  'Property.key',
  'PropertyDefinition.key',
  'MethodDefinition.key',
  'AccessorProperty.key',
  'TSPropertySignature.key',
  'TSMethodSignature.key',
]);

/** Positions at which an identifier belongs to another name, a label or a keyword. */
const ignored: ReadonlySet<string> = new Set([
  'MemberExpression.property',
  'TSQualifiedName.right',
  'ImportSpecifier.imported',
  'ExportSpecifier.local',
  'ExportSpecifier.exported',
  'MetaProperty.meta',
  'MetaProperty.property',
  'LabeledStatement.label',
  'BreakStatement.label',
  'ContinueStatement.label',
  'TSImportType.qualifier',
  'TSNamedTupleMember.label',
  'ImportAttribute.key',
]);

function findRole(parent: Node | null, key: string): Role | null {
  if (parent !== null && 'computed' in parent && parent.computed) return 'reference';
  const place = `${parent?.type}.${key}`;
  if (ignored.has(place)) return null;
  if (properties.has(place)) return 'property';
  return bindings.has(place) || bindings.has(`*.${key}`) ? 'binding' : 'reference';
}

type Visit = (node: Node, parent: Node | null, key: string) => void;

function walk(node: Node, parent: Node | null, key: string, visit: Visit): void {
  visit(node, parent, key);
  for (const name of visitorKeys[node.type] ?? []) {
    const child: unknown = Reflect.get(node, name);
    for (const each of Array.isArray(child) ? child : [child]) if (isNode(each)) walk(each, node, name, visit);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
