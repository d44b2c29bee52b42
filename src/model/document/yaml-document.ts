import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  parseDocument,
  type Scalar,
  visit,
} from 'yaml';
import { weakMemoize } from '../../cache/memoize.ts';
import type { Path } from '../path.ts';
import type { ReportProblem, SourcePosition } from './model-error.ts';

/** An error in the syntax of a document. */
export interface SyntaxIssue {
  readonly cause: string;
  readonly fix: string;
  readonly position: SourcePosition;
}

/** A value of a YAML document before its numbers are checked: `.inf` and `.nan` are numbers in YAML and not in JSON. */
export type YamlValue =
  | string
  | number
  | boolean
  | null
  | { readonly [name: string]: YamlValue }
  | readonly YamlValue[];

/** Limits of a document, with its aliases expanded. */
export interface DocumentLimits {
  readonly nodes: number;
  readonly depth: number;
}

/** Maximum reported syntax errors: one missing bracket can cause hundreds. */
const MAX_SYNTAX_ERRORS = 20;
/** The code of the error where nesting exceeds the stack of the parser, which is recursive. */
const STACK_OVERFLOW = 'RESOURCE_EXHAUSTION';
const START: SourcePosition = { line: 1, column: 1 };
const JSON_LITERAL = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;

type YamlNode = ParsedNode | null;

/** The syntax tree of a text in YAML 1.2, or in JSON, which is a subset. */
export class YamlDocument {
  readonly #lines = new LineCounter();
  readonly #tree: Document.Parsed;
  readonly #anchors = new Map<string, YamlNode>();
  readonly #targets = new Map<Alias, YamlNode>();

  constructor(text: string) {
    // The parser compares each key with every other of its map: with 100,000 keys that takes minutes.
    this.#tree = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false, uniqueKeys: false });
  }

  /** The first syntax errors; empty for a valid document. One that is nested too deeply has no other. */
  syntaxIssues(limits: Pick<DocumentLimits, 'depth'>): readonly SyntaxIssue[] {
    const found = [...this.#tree.errors, ...this.#tree.warnings];
    const overflow = found.find(({ code }) => code === STACK_OVERFLOW);
    if (overflow !== undefined) {
      const position = this.#positionAt(overflow.pos[0]);
      return [{ cause: 'the document is nested too deeply', fix: `use at most ${limits.depth} levels`, position }];
    }
    const syntax = found.map(({ message, pos: [offset] }) => ({ message, offset }));
    const repeated = this.#repeatedKeys().map((offset) => ({ message: 'Map keys must be unique', offset }));
    return [...syntax, ...repeated].slice(0, MAX_SYNTAX_ERRORS).map(({ message, offset }) => ({
      cause: `the document is not valid YAML: ${message}`,
      fix: 'correct the syntax',
      position: this.#positionAt(offset),
    }));
  }

  /** The offsets of keys that their map has already. */
  #repeatedKeys(): readonly number[] {
    const offsets: number[] = [];
    visit(this.#tree, {
      Map(_, { items }) {
        const names = new Set<string>();
        for (const { key } of items) {
          if (isScalar(key) && names.size === names.add(keyName(key)).size) offsets.push(key.range?.[0] ?? 0);
        }
      },
    });
    return offsets;
  }

  /**
   * The value of the document. Aliases are expanded within the limits, so that exponential and recursive aliases are
   * problems and not endless.
   */
  read(limits: DocumentLimits, report: ReportProblem): YamlValue {
    let nodes = 0;
    const problem = (path: Path, cause: string, fix: string): null => {
      report(path, cause, fix);
      return null;
    };
    const readNode = (node: YamlNode, path: Path): YamlValue => {
      nodes += 1;
      if (nodes > limits.nodes)
        return problem(path, 'the document has too many values', 'split it into several models');
      if (path.length > limits.depth)
        return problem(path, 'the document is nested too deeply', `use at most ${limits.depth} levels`);
      if (isAlias(node)) {
        const target = this.#anchors.get(node.source);
        const fix = `declare &${node.source} first`;
        if (target === undefined) return problem(path, `the alias *${node.source} has no anchor before it`, fix);
        this.#targets.set(node, target);
        return readNode(target, path);
      }
      if (node?.anchor !== undefined) this.#anchors.set(node.anchor, node);
      if (isSeq(node)) return node.items.map((item, index) => readNode(item, [...path, index]));
      return isMap(node) ? readMap(node.items, path) : scalarValue(node);
    };
    const readMap = (pairs: readonly YamlPair[], path: Path): YamlValue => {
      const members: [string, YamlValue][] = [];
      for (const { key, value } of pairs) {
        const name = isScalar(key) ? keyName(key) : null;
        if (name === null) problem(path, 'the key is not a valid name', 'write the key as a string');
        else members.push([name, readNode(value, [...path, name])]);
      }
      return Object.fromEntries(members);
    };
    return readNode(this.#tree.contents, []);
  }

  /** Line and column of the member or item at a path, or of its closest ancestor. */
  locate(path: Path): SourcePosition {
    let position = START;
    let node: YamlNode = this.#tree.contents;
    for (const step of path) {
      const entry = findEntry(isAlias(node) ? (this.#targets.get(node) ?? null) : node, step);
      if (entry === null) return position;
      if (entry.at !== null) position = this.#positionAt(entry.at.range[0]);
      node = entry.value;
    }
    return position;
  }

  /**
   * The first scalar that YAML has and JSON has not, for JSON errors without a position; the start if there is none.
   */
  locateNonJson(): SourcePosition {
    let offset = 0;
    visit(this.#tree, {
      Scalar(_, { range, source = '', type, value }) {
        if (type === 'QUOTE_DOUBLE' || (type === 'PLAIN' && typeof value !== 'string' && JSON_LITERAL.test(source))) {
          return;
        }
        offset = range?.[0] ?? 0;
        return visit.BREAK;
      },
    });
    return this.#positionAt(offset);
  }

  #positionAt(offset: number): SourcePosition {
    const { line, col } = this.#lines.linePos(offset);
    return line === 0 ? START : { line, column: col };
  }
}

interface YamlPair {
  readonly key: YamlNode;
  readonly value: YamlNode;
}

/** A member by its key, an item by itself: `at` is where it begins. */
function findEntry(node: YamlNode, step: string | number): { readonly at: YamlNode; readonly value: YamlNode } | null {
  if (isSeq(node)) {
    const item = typeof step === 'number' ? node.items[step] : undefined;
    return item === undefined ? null : { at: item, value: item };
  }
  if (!isMap(node)) return null;
  const pair = pairsOf(node).get(String(step));
  return pair === undefined ? null : { at: pair.key, value: pair.value };
}

/** The members of a map by name. A document can have as many problems as members. */
const pairsOf = weakMemoize(({ items }: { readonly items: readonly YamlPair[] }) => {
  return new Map(items.flatMap((pair) => (isScalar(pair.key) ? [[keyName(pair.key), pair] as const] : [])));
});

/** A number of another kind than JSON's is NaN. */
function scalarValue(node: Scalar | null): YamlValue {
  const value = node?.value ?? null;
  return typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number' || value === null
    ? value
    : Number.NaN;
}

/** The source of a key: `1.4` is the name "1.4", not a number. */
function keyName({ value, source }: Scalar): string {
  return typeof value === 'string' ? value : (source ?? String(value));
}
