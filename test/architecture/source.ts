import { type Node, type Span, Visitor, type VisitorObject, parseSync } from 'oxc-parser';
import { identifiers } from './identifiers.ts';
import { findModuleState } from './module-state.ts';

/** A name or text, and its line. */
export interface Mention {
  readonly name: string;
  readonly line: number;
}

/** One import, re-export, `import()`, `import('..')` type or worker file. */
export interface Import extends Mention {
  /** The imported names; empty for all or none. */
  readonly names: readonly string[];
  /** True if type stripping removes it. */
  readonly typeOnly: boolean;
}

/** A function, method or arrow function. */
export interface FunctionSpan extends Mention {
  readonly lines: number;
  /** The number of parameters that it declares. */
  readonly parameters: number;
}

/** The facts about a TypeScript file that the rules use. `path` is relative to the checkout, with slashes. */
export interface Source {
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  /** Names that the file uses without declaring them. */
  readonly globals: readonly Mention[];
  /** `process.env`, also as a destructured property: `const { env } = process`. */
  readonly members: readonly Mention[];
  /** Declared names: variables, functions, types, properties. */
  readonly declared: readonly Mention[];
  /** `new Date()` and `Date()`, which read the clock. */
  readonly instants: readonly Mention[];
  /** String literals and the fixed parts of templates. */
  readonly texts: readonly Mention[];
  readonly comments: readonly Mention[];
  readonly anys: readonly Mention[];
  /** Classes, interfaces and type aliases, each once. */
  readonly types: readonly Mention[];
  readonly functions: readonly FunctionSpan[];
  /** Functions of the module itself: declarations, and constants that are functions. */
  readonly topLevelFunctions: readonly Mention[];
  /** Bindings of the module and static members whose values can change, each with the reason. */
  readonly state: readonly Mention[];
}

type Facts = { -readonly [kind in keyof Source]: Source[kind] extends readonly (infer Fact)[] ? Fact[] : Source[kind] };

/**
 * Parses a TypeScript file.
 *
 * @throws {SyntaxError} for invalid syntax
 */
export function parseSource(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new SyntaxError(error.message);
  const facts = noFacts(path, text);
  const lineOf = lineCounter(text);
  new Visitor({
    ...importVisitor(facts, lineOf),
    ...worldVisitor(facts, lineOf, text),
    ...shapeVisitor(facts, lineOf),
  }).visit(program);
  const used: Mention[] = [];
  const bound = new Set<string>();
  identifiers(program, (name, start, part) => {
    const mention = { name, line: lineOf(start) };
    if (part === 'binding') bound.add(name);
    if (part === 'reference') used.push(mention);
    else facts.declared.push(mention);
  });
  facts.topLevelFunctions.push(...program.body.flatMap((each) => topLevelFunctions(each, lineOf)));
  facts.globals.push(...used.filter(({ name }) => !bound.has(name)));
  facts.state.push(
    ...findModuleState(program).map(({ name, reason, start }) => ({ name: `${name} ${reason}`, line: lineOf(start) })),
  );
  facts.comments.push(...comments.map(({ value, start }) => ({ name: value, line: lineOf(start) })));
  return facts;
}

function noFacts(path: string, text: string): Facts {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  const empty = { imports: [], globals: [], members: [], declared: [], instants: [], texts: [] };
  return { path, lines, ...empty, comments: [], anys: [], types: [], functions: [], topLevelFunctions: [], state: [] };
}

/** The line, from 1, of an offset. */
type LineOf = (offset: number) => number;

function importVisitor({ imports }: Facts, lineOf: LineOf): VisitorObject {
  const add = ({ start }: Span, name: string, typeOnly: boolean, names: readonly string[] = []) =>
    imports.push({ name, line: lineOf(start), names, typeOnly });
  return {
    ImportDeclaration: (node) => {
      const names = node.specifiers.flatMap((each) =>
        each.type === 'ImportSpecifier' && each.imported.type === 'Identifier' ? [each.imported.name] : [],
      );
      add(node, node.source.value, node.importKind === 'type', names);
    },
    ExportAllDeclaration: (node) => add(node, node.source.value, node.exportKind === 'type'),
    ExportNamedDeclaration: (node) => {
      if (node.source !== null) add(node, node.source.value, node.exportKind === 'type');
    },
    ImportExpression: (node) => {
      const name = readText(node.source);
      if (name !== null) add(node, name, false);
    },
    TSImportType: (node) => add(node, node.source.value, true),
    // A worker is started by the URL of its file.
    NewExpression: ({ start, end, callee, arguments: [file] }) => {
      const name = file === undefined ? null : readText(file);
      if (callee.type === 'Identifier' && callee.name === 'URL' && name?.startsWith('.') && name.endsWith('.ts'))
        add({ start, end }, name, false);
    },
  };
}

/** The functions that a statement of the module declares. */
function topLevelFunctions(statement: Node, lineOf: LineOf): readonly Mention[] {
  const declaration =
    statement.type === 'ExportNamedDeclaration' && statement.declaration !== null ? statement.declaration : statement;
  if (declaration.type === 'FunctionDeclaration' && declaration.id !== null)
    return [{ name: declaration.id.name, line: lineOf(declaration.start) }];
  if (declaration.type !== 'VariableDeclaration') return [];
  return declaration.declarations.flatMap(({ id, init, start }) =>
    id.type === 'Identifier' && (init?.type === 'ArrowFunctionExpression' || init?.type === 'FunctionExpression')
      ? [{ name: id.name, line: lineOf(start) }]
      : [],
  );
}

function readText(node: Node): string | null {
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : null;
}

function worldVisitor({ members, instants }: Facts, lineOf: LineOf, text: string): VisitorObject {
  const isDate = (callee: Node) => callee.type === 'Identifier' && callee.name === 'Date';
  const instant = ({ start, end }: Span) => instants.push({ name: text.slice(start, end), line: lineOf(start) });
  return {
    MemberExpression: ({ start, object, property, computed }) => {
      if (computed || property.type !== 'Identifier') return;
      members.push({ name: `${text.slice(object.start, object.end)}.${property.name}`, line: lineOf(start) });
    },
    VariableDeclarator: ({ id, init }) => {
      if (id.type !== 'ObjectPattern' || init?.type !== 'Identifier') return;
      for (const each of id.properties)
        if (each.type === 'Property' && each.key.type === 'Identifier')
          members.push({ name: `${init.name}.${each.key.name}`, line: lineOf(each.start) });
    },
    CallExpression: (node) => {
      if (isDate(node.callee)) instant(node);
    },
    'NewExpression:exit': (node) => {
      if (isDate(node.callee) && node.arguments.length === 0) instant(node);
    },
  };
}

type Named = Span & { readonly id: { readonly name: string } | null };

function shapeVisitor({ texts, anys, types, functions }: Facts, lineOf: LineOf): VisitorObject {
  const span = ({ start, end, id, params }: Named & { readonly params: readonly unknown[] }) => {
    const line = lineOf(start);
    const name = id?.name ?? 'function';
    functions.push({ name, line, lines: lineOf(end) - line + 1, parameters: params.length });
  };
  const type = ({ start, id }: Named) => {
    if (id !== null) types.push({ name: id.name, line: lineOf(start) });
  };
  return {
    Literal: ({ start, value }) => {
      if (typeof value === 'string') texts.push({ name: value, line: lineOf(start) });
    },
    TemplateElement: ({ start, value }) => texts.push({ name: value.cooked ?? value.raw, line: lineOf(start) }),
    TSAnyKeyword: ({ start }) => anys.push({ name: 'any', line: lineOf(start) }),
    FunctionDeclaration: span,
    FunctionExpression: span,
    ArrowFunctionExpression: span,
    ClassDeclaration: type,
    TSInterfaceDeclaration: type,
    TSTypeAliasDeclaration: type,
  };
}

/** Offsets are UTF-16 code units. */
function lineCounter(text: string): LineOf {
  const starts = [...text.matchAll(/^/gm)].map(({ index }) => index);
  return (offset) => {
    let low = 0;
    for (let high = starts.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
