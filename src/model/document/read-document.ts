import type { Json } from '../../conventions/json/json.ts';
import type { Path } from '../path.ts';
import { type ModelProblem, ProblemList, type ReportProblem, type SourcePosition } from './model-error.ts';
import { type SyntaxIssue, YamlDocument, type YamlValue } from './yaml-document.ts';

/** Values for `${NAME}` in a document, such as the environment variables. */
export type VariableValues = Readonly<Record<string, string | undefined>>;

/** A model document as a string, with what is needed to parse it. */
interface DocumentSource {
  /** File name, for messages. A name that ends in `.json` requires JSON; all others are YAML 1.2. */
  readonly file: string;
  readonly text: string;
  /** Values for `${NAME}`; null for a document without variables, whose strings stay as they are. */
  readonly env: VariableValues | null;
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
const MAX_TEXT = 16 * 1024 * 1024;
const LIMITS = { nodes: 2_000_000, depth: 64 };
const START: SourcePosition = { line: 1, column: 1 };
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;
/** A string or a colon: in JSON a colon outside strings follows the name of a member. */
const STRING_OR_COLON = /"(?:[^"\\]|\\.)*"|:/g;

/**
 * Parses a model document. Never throws: all errors are in `problems`. Aliases are expanded within the limits on values
 * and depth, so that exponential and recursive aliases are errors. `${NAME}` in a string is replaced by the environment
 * variable, which must be set. Messages never contain values.
 *
 * JSON is parsed as JSON, which is several times faster; only a document with an error is parsed as YAML as well, for
 * its positions.
 */
export function readDocument({ file, text, env }: DocumentSource): ModelDocument {
  if (text.length > MAX_TEXT) return unreadable(file, [TOO_LONG]);
  const source = text.replace(/^\uFEFF/, '');
  let parsed: YamlDocument | undefined;
  const yaml = (): YamlDocument => (parsed ??= new YamlDocument(source));
  const locate = (path: Path): SourcePosition => yaml().locate(path);
  const list = new ProblemList(file, locate);
  const json = file.endsWith('.json') ? parseJson(source) : null;
  const issues = json?.kind === 'value' ? [] : yaml().syntaxIssues(LIMITS);
  if (issues.length > 0) return unreadable(file, issues);
  if (json?.kind === 'error') return unreadable(file, [jsonIssue(json.message, yaml())]);
  const reader = new ValueReader(env, list.report);
  const value = reader.read(json === null ? yaml().read(LIMITS, list.report) : json.value, []);
  const problems = list.sorted();
  const repeated = json !== null && problems.length === 0 && reader.members !== countColons(source);
  return repeated ? unreadable(file, yaml().syntaxIssues(LIMITS)) : { value, locate, problems, readable: true };
}

const TOO_LONG: SyntaxIssue = {
  cause: 'the document is longer than 16 MiB',
  fix: 'split it into several models',
  position: START,
};

function unreadable(file: string, issues: readonly SyntaxIssue[]): ModelDocument {
  const problems = issues.map(({ position, ...issue }) => ({ file, ...position, path: '', ...issue }));
  return { value: null, locate: () => START, problems, readable: false };
}

type ParsedJson =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'error'; readonly message: string };

function parseJson(text: string): ParsedJson {
  try {
    return { kind: 'value', value: JSON.parse(text) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { kind: 'error', message: error.message };
  }
}

/**
 * The members that a JSON text writes. JSON.parse takes the last of members with the same name, so that it has fewer.
 */
function countColons(text: string): number {
  return text.match(STRING_OR_COLON)?.filter((token) => token === ':').length ?? 0;
}

function jsonIssue(message: string, tree: YamlDocument): SyntaxIssue {
  const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(message) ?? [];
  const position = line === undefined ? tree.locateNonJson() : { line: Number(line), column: Number(column) };
  return { cause: 'the document is not valid JSON', fix: 'correct the syntax', position };
}

/** Checks the values of a document, and replaces its variables. */
class ValueReader {
  readonly #env: VariableValues | null;
  readonly #report: ReportProblem;
  /** The members of objects so far. */
  members = 0;

  constructor(env: VariableValues | null, report: ReportProblem) {
    this.#env = env;
    this.#report = report;
  }

  read(value: YamlValue, path: Path): Json {
    if (path.length > LIMITS.depth) {
      return this.#problem(path, 'the document is nested too deeply', `use at most ${LIMITS.depth} levels`);
    }
    if (typeof value === 'string') return this.#replaceVariables(value, path);
    if (typeof value === 'number') return this.#readNumber(value, path);
    if (typeof value === 'boolean' || value === null) return value;
    if (isList(value)) return value.map((item, index) => this.read(item, [...path, index]));
    return this.#readMembers(value, path);
  }

  #readMembers(members: { readonly [name: string]: YamlValue }, path: Path): Json {
    const read: Record<string, Json> = {};
    for (const [name, value] of Object.entries(members)) {
      this.members += 1;
      if (name === '__proto__') this.#problem(path, 'the key is not a valid name', 'use a string other than __proto__');
      else read[name] = this.read(value, [...path, name]);
    }
    return read;
  }

  #readNumber(value: number, path: Path): Json {
    if (!Number.isFinite(value)) {
      const fix = 'write a string, a finite number, true, false or null';
      return this.#problem(path, 'the value is not valid in JSON', fix);
    }
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      return this.#problem(path, 'the integer is outside the safe range of 2^53-1', 'write it as a string, in quotes');
    }
    return value;
  }

  #replaceVariables(text: string, path: Path): string {
    const env = this.#env;
    if (env === null) return text;
    return text.replace(VARIABLE, (_, name: string) => {
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      if (value !== undefined) return value;
      this.#problem(path, `the environment variable ${name} is not set`, 'set it, or write the value in the document');
      return '';
    });
  }

  #problem(path: Path, cause: string, fix: string): null {
    this.#report(path, cause, fix);
    return null;
  }
}

function isList(value: YamlValue): value is readonly YamlValue[] {
  return Array.isArray(value);
}
