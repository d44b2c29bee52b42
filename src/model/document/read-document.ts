import {
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
import type { Json } from '../../conventions/json.ts';
import { type ModelProblem, ProblemList, type SourcePosition, type ReportProblem } from './model-error.ts';
import { formatPath, type Path } from '../values/path.ts';

/** Values for `${NAME}` in a document, such as the environment variables. */
export type VariableValues = Readonly<Record<string, string | undefined>>;

/** A model document as a string, with what is needed to parse it. */
interface DocumentSource {
  /** File name, for messages. A name that ends in `.json` requires JSON; all others are YAML 1.2. */
  readonly file: string;
  readonly text: string;
  /** Values for `${NAME}`. */
  readonly env: VariableValues;
}

/** A parsed document. */
interface ModelDocument {
  readonly value: Json;
  /** Line and column of the member or item at a path, or of its closest ancestor. */
  readonly locate: (path: Path) => SourcePosition;
  /** Syntax errors, unsupported values and missing environment variables. */
  readonly problems: readonly ModelProblem[];
  /** False for invalid YAML or JSON: `value` is null then. */
  readonly readable: boolean;
}

/** Maximum characters, values (with aliases expanded) and levels of nesting of a document. */
const MAX_TEXT = 1024 * 1024;
const MAX_NODES = 100_000;
const MAX_DEPTH = 64;
/** Maximum reported syntax errors: one missing bracket can cause hundreds. */
const MAX_SYNTAX_ERRORS = 20;
const START: SourcePosition = { line: 1, column: 1 };
const JSON_LITERAL = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/**
 * Parses a model document. Never throws: all errors are in `problems`. Aliases are expanded within the limits on values and depth, so
 * that exponential and recursive aliases are errors. `${NAME}` in a string is replaced by the environment variable, which must be
 * set. Messages never contain values.
 */
export function readDocument({ file, text, env }: DocumentSource): ModelDocument {
  const positions = new Map<string, SourcePosition>();
  const lines = new LineCounter();
  const locate = (path: Path): SourcePosition => nearestPosition(positions, path);
  const tree = text.length > MAX_TEXT ? null : parseYaml(text, lines);
  const issues = tree === null ? [TOO_LONG] : syntaxIssues(file, text, tree, lines);
  if (tree === null || issues.length > 0) {
    const problems = issues.map(({ position, ...issue }) => ({ file, ...position, path: '', ...issue }));
    return { value: null, locate, problems, readable: false };
  }
  const list = new ProblemList(file, locate);
  const reader = new NodeReader({ lines, positions, env, report: list.report });
  const value = reader.read(tree.contents, []);
  return { value, locate, problems: list.sorted(), readable: true };
}

interface SyntaxIssue {
  readonly cause: string;
  readonly fix: string;
  readonly position: SourcePosition;
}

const TOO_LONG: SyntaxIssue = {
  cause: 'the document is longer than 1 MiB',
  fix: 'split it into several models',
  position: START,
};

function parseYaml(text: string, lines: LineCounter): Document.Parsed {
  return parseDocument(withoutByteOrderMark(text), { lineCounter: lines, prettyErrors: false });
}

function withoutByteOrderMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}

function syntaxIssues(file: string, text: string, tree: Document.Parsed, lines: LineCounter): readonly SyntaxIssue[] {
  const issues = [...tree.errors, ...tree.warnings].slice(0, MAX_SYNTAX_ERRORS).map(({ message, pos: [offset] }) => ({
    cause: `the document is not valid YAML: ${message}`,
    fix: 'correct the syntax',
    position: positionAt(lines, offset),
  }));
  return file.endsWith('.json') && issues.length === 0 ? jsonIssues(text, tree, lines) : issues;
}

/** YAML is a superset of JSON, so a `.json` file is also parsed as JSON. */
function jsonIssues(text: string, tree: Document.Parsed, lines: LineCounter): readonly SyntaxIssue[] {
  try {
    JSON.parse(withoutByteOrderMark(text));
    return [];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(error.message) ?? [];
    const position =
      line === undefined ? positionAt(lines, nonJsonScalar(tree)) : { line: Number(line), column: Number(column) };
    return [{ cause: 'the document is not valid JSON', fix: 'correct the syntax', position }];
  }
}

/** Offset of the first scalar that is valid in YAML only, for JSON errors without a position; 0 if there is none. */
function nonJsonScalar(tree: Document.Parsed): number {
  let offset = 0;
  visit(tree, {
    Scalar(_, { range, source = '', type, value }) {
      if (type === 'QUOTE_DOUBLE' || (type === 'PLAIN' && typeof value !== 'string' && JSON_LITERAL.test(source))) {
        return;
      }
      offset = range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return offset;
}

function positionAt(lines: LineCounter, offset: number): SourcePosition {
  const { line, col } = lines.linePos(offset);
  return line === 0 ? START : { line, column: col };
}

function nearestPosition(positions: ReadonlyMap<string, SourcePosition>, path: Path): SourcePosition {
  for (let length = path.length; length >= 0; length -= 1) {
    const position = positions.get(formatPath(path.slice(0, length)));
    if (position !== undefined) return position;
  }
  return START;
}

interface NodeReaderOptions {
  readonly lines: LineCounter;
  readonly positions: Map<string, SourcePosition>;
  readonly env: VariableValues;
  readonly report: ReportProblem;
}

type YamlNode = ParsedNode | null;

/** Converts the YAML nodes of a document to JSON and records their positions. */
class NodeReader {
  readonly #options: NodeReaderOptions;
  readonly #anchors = new Map<string, YamlNode>();
  #nodes = 0;

  constructor(options: NodeReaderOptions) {
    this.#options = options;
  }

  read(node: YamlNode, path: Path): Json {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) {
      return this.#problem(path, 'the document has too many values', 'split it into several models');
    }
    if (path.length > MAX_DEPTH)
      return this.#problem(path, 'the document is nested too deeply', `use at most ${MAX_DEPTH} levels`);
    if (isAlias(node)) return this.#readAlias(node.source, path);
    if (node === null) return null;
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isMap(node)) return this.#readMap(node.items, path);
    if (isSeq(node)) return node.items.map((item, index) => this.#readAt(item, [...path, index], item));
    return this.#readScalar(node, path);
  }

  #readAlias(name: string, path: Path): Json {
    const target = this.#anchors.get(name);
    if (target === undefined) {
      return this.#problem(path, `the alias *${name} has no anchor before it`, `declare &${name} first`);
    }
    return this.read(target, path);
  }

  #readAt(node: YamlNode, path: Path, at: YamlNode): Json {
    if (at !== null) this.#options.positions.set(formatPath(path), positionAt(this.#options.lines, at.range[0]));
    return this.read(node, path);
  }

  #readMap(pairs: readonly { readonly key: YamlNode; readonly value: YamlNode }[], path: Path): Json {
    const members: [string, Json][] = [];
    for (const { key, value } of pairs) {
      const name = isScalar(key) ? keyName(key) : null;
      if (name === null || name === '__proto__') {
        this.#problem(path, 'the key is not a valid name', 'use a string other than __proto__');
      } else {
        members.push([name, this.#readAt(value, [...path, name], key)]);
      }
    }
    return Object.fromEntries(members);
  }

  #readScalar({ value }: Scalar, path: Path): Json {
    if (typeof value === 'string') return this.#replaceVariables(value, path);
    if (typeof value === 'boolean' || value === null) return value;
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      return this.#problem(
        path,
        'the value is not valid in JSON',
        'write a string, a finite number, true, false or null',
      );
    }
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      return this.#problem(path, 'the integer is outside the safe range of 2^53-1', 'write it as a string, in quotes');
    }
    return value;
  }

  #replaceVariables(text: string, path: Path): string {
    return text.replace(VARIABLE, (_, name: string) => {
      const value = Object.hasOwn(this.#options.env, name) ? this.#options.env[name] : undefined;
      if (value !== undefined) return value;
      this.#problem(path, `the environment variable ${name} is not set`, 'set it, or write the value in the document');
      return '';
    });
  }

  #problem(path: Path, cause: string, fix: string): null {
    this.#options.report(path, cause, fix);
    return null;
  }
}

/** The source of a key: `1.4` is the name "1.4", not a number. */
function keyName({ value, source }: Scalar): string {
  return typeof value === 'string' ? value : (source ?? String(value));
}
