import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';
import { digest } from '../../platform/digest.ts';
import { compileModel } from './compile-model.ts';
import type { Digest } from '../fingerprint.ts';
import type { ModelCode } from './resources/compile-resources.ts';
import { withVersions } from './versions/compile-versions.ts';
import { checkDocument } from '../document/check-document.ts';
import { ModelError, ProblemList, type SourcePosition } from '../document/model-error.ts';
import { type VariableValues, readDocument } from '../document/read-document.ts';
import type { Model } from '../model.ts';
import { type DefinedModel, isDefinedModel } from '../typescript/define-model.ts';
import type { HookServices } from '../hooks.ts';
import { splitDefinition } from '../typescript/split-definition.ts';
import type { Converters } from '../typescript/version-converters.ts';
import type { CompileContext } from '../document/compile-context.ts';
import { readArray, readObject, readStrings } from '../values/access.ts';
import { formatPath, type Path } from '../path.ts';
import { OPAQUE_ORIGIN } from './settings/cors.ts';
import { judgeRelays } from './settings/judge-relays.ts';

/** A model document in YAML or JSON. */
export interface ModelSource {
  readonly text: string;
  /**
   * File name, for messages. A name that ends in `.json` requires JSON; all others are YAML 1.2. Default: `model.yaml`.
   */
  readonly file?: string;
  /** Values for `${NAME}`. Default: none. */
  readonly env?: VariableValues;
}

/**
 * A valid model.
 *
 * @example
 * ```ts
 * const { model, unsupported }: LoadedModel = loadModel({ file: 'notes.yaml', text });
 * for (const line of unsupported) console.warn(line);
 * ```
 */
export interface LoadedModel {
  /** Deeply frozen. */
  readonly model: Model;
  /** One line for each declared section that this version does not support yet. */
  readonly unsupported: readonly string[];
  /** The services for its hooks; empty for a document. */
  readonly services: HookServices;
}

/**
 * Checks and compiles a model: a document, or the result of `defineModel`.
 *
 * @throws {ModelError} with all problems of the model
 *
 * @example
 * ```ts
 * const text = await readFile('notes.yaml', 'utf8');
 * const { model } = loadModel({ file: 'notes.yaml', text, env: process.env });
 * ```
 */
export function loadModel(source: ModelSource | DefinedModel): LoadedModel {
  if (isDefinedModel(source)) return loadDefinition({ file: 'model', defined: source });
  const { text, file = 'model.yaml', env = {} } = source;
  const { value, locate, problems, readable } = readDocument({ text, file, env });
  if (!readable) throw new ModelError(problems);
  const list = new ProblemList(file, locate, problems);
  return { ...compile(value, list, digest, NO_CODE), services: {} };
}

/** A TypeScript model. */
interface DefinitionSource {
  /** File name of its module, for messages. */
  readonly file: string;
  readonly defined: DefinedModel;
  /** Values for `${NAME}`. Default: none. */
  readonly env?: VariableValues;
  /**
   * Source of its module and of the modules it imports, if available. The fingerprint then covers everything that its
   * functions use.
   */
  readonly text?: string;
}

const NO_POSITION: SourcePosition = { line: 0, column: 0 };

/**
 * Checks and compiles a TypeScript model: its data like a document, then its functions.
 *
 * @throws {ModelError} with all problems of the model, which have no line numbers
 */
export function loadDefinition({ file, defined, env = {}, text = '' }: DefinitionSource): LoadedModel {
  const definitionList = new ProblemList(file, () => NO_POSITION);
  const { data, code, converters } = splitDefinition(defined, definitionList.report);
  const { value, problems, readable } = readDocument({ file: `${file}.json`, text: JSON.stringify(data), env });
  const found = [...definitionList.sorted(), ...problems.map((problem) => ({ ...problem, ...NO_POSITION, file }))];
  if (!readable) throw new ModelError(found);
  const list = new ProblemList(file, () => NO_POSITION, found);
  return {
    ...compile(value, list, (compiled) => digest(text + compiled), { code, converters }),
    services: defined.services,
  };
}

/** The functions of a TypeScript model. */
interface DefinitionCode {
  readonly code: ModelCode;
  readonly converters: Converters;
}

const NO_CODE: DefinitionCode = { code: new Map(), converters: new Map() };

/** @throws {ModelError} */
function compile(
  value: Json,
  list: ProblemList,
  digestOf: Digest,
  { code, converters }: DefinitionCode,
): Omit<LoadedModel, 'services'> {
  checkDocument(value, list.reportAtNewPaths());
  const document = { declared: isJsonObject(value) ? value : {}, path: [], report: list.reportAtNewPaths() };
  rejectUnsupported(document);
  const newest = compileModel(document, digestOf, code);
  throwProblems(list);
  const model = withVersions(newest, document, converters, digestOf);
  throwProblems(list);
  judgeRelays(model, document);
  throwProblems(list);
  return { model, unsupported: unsupportedSections(document.declared) };
}

function throwProblems(list: ProblemList): void {
  const problems = list.sorted();
  if (problems.length > 0) throw new ModelError(problems);
}

type Section = readonly [path: Path, declared: Json | undefined];

/** One line for each declared section that this version does not support yet and can ignore safely. */
function unsupportedSections(document: JsonObject): readonly string[] {
  return opaqueOrigins(document['cors'])
    .filter(([, declared]) => declared !== undefined && declared !== false)
    .map(([path]) => `${formatPath(path)}: declared, but not supported yet`);
}

/** `null` is what every sandboxed frame and local file sends: it names no origin that could be allowed. */
function opaqueOrigins(cors: Json | undefined): readonly Section[] {
  return readStrings(readObject(cors)['origins']).flatMap((origin, index): readonly Section[] =>
    origin === OPAQUE_ORIGIN ? [[['cors', 'origins', index], origin]] : [],
  );
}

/** Reports what cannot be ignored without `auth`: data would be exposed. */
function rejectUnsupported({ declared: document, report }: CompileContext): void {
  for (const [path, resource] of listDeclaredResources(document)) {
    for (const [step, target] of document['auth'] === undefined ? listDeclaredTransitions(resource) : []) {
      if (!isJsonObject(target)) continue;
      const at = [...path, 'state', 'transitions', ...step, 'scope'];
      if (target['scope'] === undefined) continue;
      report(at, 'a scope needs auth: without it no caller has scopes', 'remove it, or declare auth');
    }
  }
}

function listDeclaredResources(document: JsonObject): readonly (readonly [Path, JsonObject])[] {
  return Object.entries(readObject(document['resources'])).map(([name, resource]) => [
    ['resources', name],
    readObject(resource),
  ]);
}

function listDeclaredTransitions(resource: JsonObject): readonly (readonly [Path, Json])[] {
  const transitions = readObject(readObject(resource['state'])['transitions']);
  return Object.entries(transitions).flatMap(([from, targets]) =>
    readArray(targets).map((target, index) => [[from, index], target] as const),
  );
}
