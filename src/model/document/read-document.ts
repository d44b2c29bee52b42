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

/** Environment variables by name. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** The text of a model document and what it is read with. */
export interface DocumentSource {
  /** Its name for messages; one that ends in `.json` must be JSON, any other is YAML 1.2. */
  readonly file: string;
  readonly text: string;
  /** Gives the values of `${NAME}`. */
  readonly env: EnvironmentVariables;
}

/** A document as it was read. */
export interface ModelDocument {
  readonly value: Json;
  /** Line and column of the member or item at a path, or of the nearest one above it. */
  readonly locate: (path: Path) => SourcePosition;
  /** What is wrong with its text. */
  readonly problems: readonly ModelProblem[];
  /** Whether `value` can be judged: false where the text is no YAML or JSON. */
  readonly readable: boolean;
}

/** Most characters of a document, values in it (aliases expanded) and levels of nesting. */
const MAX_TEXT = 1024 * 1024;
const MAX_NODES = 100_000;
const MAX_DEPTH = 64;
/** Most faults of syntax that are told: one missing bracket may bring hundreds. */
const MAX_SYNTAX_ERRORS = 20;
const START: SourcePosition = { line: 1, column: 1 };
const JSON_LITERAL = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/**
 * Reads a model document. It never throws: what is wrong with the text is in `faults`. An alias is expanded within the bounds
 * on nodes and depth, so that one that grows or contains itself is a fault. `${NAME}` in a string value is replaced from the
 * environment, and an unset one is a fault; values never appear in messages.
 */
export function readDocument({ file, text, env }: DocumentSource): ModelDocument {
  const positions = new Map<string, SourcePosition>();
  const lines = new LineCounter();
  const locate = (path: Path): SourcePosition => nearestPosition(positions, path);
  const unreadable = (faults: readonly ModelProblem[]): ModelDocument => ({
    value: null,
    locate,
    problems: faults,
    readable: false,
  });

  if (text.length > MAX_TEXT) {
    const cause = 'the document is longer than 1 MiB';
    return unreadable([{ file, ...START, path: '', cause, fix: 'declare less in one model' }]);
  }
  const tree = parseDocument(text.replace(/^\uFEFF/, ''), { lineCounter: lines, prettyErrors: false });
  const problems = [...tree.errors, ...tree.warnings].map(({ message, pos: [offset] }) => ({
    cause: `the document is not valid YAML: ${message}`,
    position: positionAt(lines, offset),
  }));
  if (file.endsWith('.json') && problems.length === 0) problems.push(...jsonProblems(text, tree, lines));
  if (problems.length > 0) {
    const fix = 'correct the text here';
    return unreadable(
      problems.slice(0, MAX_SYNTAX_ERRORS).map(({ cause, position }) => ({ file, ...position, path: '', cause, fix })),
    );
  }
  const faults = new ProblemList(file, locate);
  const reader = new NodeReader({ lines, positions, env, report: faults.report });
  const value = reader.read(tree.contents, []);
  return { value, locate, problems: faults.sorted(), readable: true };
}

interface SyntaxIssue {
  readonly cause: string;
  readonly position: SourcePosition;
}

/** YAML takes more than JSON does: a file that says it is JSON is held to JSON. */
function jsonProblems(text: string, tree: Document.Parsed, lines: LineCounter): readonly SyntaxIssue[] {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''));
    return [];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(error.message) ?? [];
    const position =
      line === undefined ? positionAt(lines, foreignScalar(tree)) : { line: Number(line), column: Number(column) };
    return [{ cause: 'the document is not valid JSON', position }];
  }
}

/** Offset of the first scalar that YAML knows and JSON does not, for faults that the JSON parser gives no position; else 0. */
function foreignScalar(tree: Document.Parsed): number {
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
  readonly env: EnvironmentVariables;
  readonly report: ReportProblem;
}

type YamlNode = ParsedNode | null;

/** Turns the nodes of a document into JSON and notes where each stands. */
class NodeReader {
  readonly #options: NodeReaderOptions;
  readonly #anchors = new Map<string, YamlNode>();
  #nodes = 0;

  constructor(reading: NodeReaderOptions) {
    this.#options = reading;
  }

  read(node: YamlNode, path: Path): Json {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) {
      return this.#problem(path, 'the document holds too many values', 'declare less in one model');
    }
    if (path.length > MAX_DEPTH) return this.#problem(path, 'the document is nested too deep', 'nest less');
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
      return this.#problem(path, `there is no anchor &${name} before this alias`, 'declare it first');
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
      const name = isScalar(key) ? keyText(key) : null;
      if (name === null || name === '__proto__') {
        this.#problem(path, 'a key is not a plain name', 'use text for the names of members');
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
      return this.#problem(path, 'the value is none that JSON knows', 'write text, a number, true, false or null');
    }
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      return this.#problem(path, 'the integer is beyond 2^53-1', 'write it as text, in quotes');
    }
    return value;
  }

  #replaceVariables(text: string, path: Path): string {
    return text.replace(VARIABLE, (_, name: string) => {
      const value = Object.hasOwn(this.#options.env, name) ? this.#options.env[name] : undefined;
      if (value !== undefined) return value;
      this.#problem(
        path,
        `the environment variable ${name} is not set`,
        'set it before the start, or write the value here',
      );
      return '';
    });
  }

  #problem(path: Path, cause: string, fix: string): null {
    this.#options.report(path, cause, fix);
    return null;
  }
}

/** A key as it was written: `1.4` is the name "1.4", not a number. */
function keyText({ value, source }: Scalar): string {
  return typeof value === 'string' ? value : (source ?? String(value));
}
