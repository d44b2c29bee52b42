import { isJsonObject, type Json } from '../conventions/json.ts';
import { compileModel, type Digest, type ModelCode } from './compile/compile-model.ts';
import { type DefinedModel, isDefinedModel } from './typescript/define-model.ts';
import { splitDefinition } from './typescript/split-definition.ts';
import { type DocumentSource, readDocument } from './document/read-document.ts';
import { checkDocument } from './document/check-document.ts';
import { ProblemList, ModelError, type SourcePosition } from './document/model-error.ts';
import type { HookServices } from './typescript/hooks.ts';
import type { Model } from './model.ts';
import { digest } from '../platform/digest.ts';
import { rejectUnsupported, unsupportedSections } from './compile/unsupported.ts';

/** A model document. */
export interface ModelSource {
  readonly text: string;
  /** Its name in messages; a name that ends in `.json` means JSON, any other YAML 1.2. Default: `model.yaml`. */
  readonly file?: string;
  /** Values of `${NAME}`. Default: none. */
  readonly env?: DocumentSource['env'];
}

/** A model that can be served. */
export interface LoadedModel {
  /** Frozen through and through. */
  readonly model: Model;
  /** One line for each section that is declared and that a later version serves. */
  readonly unsupported: readonly string[];
  /** What its hooks get of the application; nothing where the model is data. */
  readonly services: HookServices;
}

/**
 * Reads, checks and compiles a model: a document in YAML or JSON, or what `defineModel` returned.
 *
 * @throws {ModelError} with every problem of the model: line, column, path, cause and fix
 */
export function loadModel(source: ModelSource | DefinedModel): LoadedModel {
  if (isDefinedModel(source)) return loadDefinition({ file: 'model', defined: source });
  const { text, file = 'model.yaml', env = {} } = source;
  const { value, locate, problems: textFaults, readable } = readDocument({ text, file, env });
  if (!readable) throw new ModelError(textFaults);
  const faults = new ProblemList(file, locate, textFaults);
  return { ...compile(value, faults, digest, new Map()), services: {} };
}

/** A model in TypeScript and what it is compiled with. */
export interface DefinitionSource {
  /** Name of its module, for messages. */
  readonly file: string;
  readonly defined: DefinedModel;
  readonly env?: DocumentSource['env'];
  /** The text of its module and of those that it imports, where they are at hand: then the fingerprint also covers what its functions use there. */
  readonly text?: string;
}

/**
 * Checks and compiles a model in TypeScript: its data as a document is, its code beside.
 *
 * @throws {ModelError} with every fault: path, cause and fix; a module has no lines to tell
 */
export function loadDefinition({ file, defined, env = {}, text = '' }: DefinitionSource): LoadedModel {
  const takingApart = new ProblemList(file, () => NO_POSITION);
  const { data, code } = splitDefinition(defined, takingApart.report);
  const {
    value,
    problems: textFaults,
    readable,
  } = readDocument({ file: `${file}.json`, text: JSON.stringify(data), env });
  const found = [...takingApart.sorted(), ...textFaults.map((fault) => ({ ...fault, ...NO_POSITION, file }))];
  if (!readable) throw new ModelError(found);
  const faults = new ProblemList(file, () => NO_POSITION, found);
  return { ...compile(value, faults, (compiled) => digest(text + compiled), code), services: defined.services };
}

/** @throws {ModelError} */
function compile(value: Json, faults: ProblemList, digestOf: Digest, code: ModelCode): Omit<LoadedModel, 'services'> {
  checkDocument(value, faults.reportAtNewPaths());
  const document = { declared: isJsonObject(value) ? value : {}, path: [], report: faults.reportAtNewPaths() };
  rejectUnsupported(document);
  const model = compileModel(document, digestOf, code);
  const found = faults.sorted();
  if (found.length > 0) throw new ModelError(found);
  return { model, unsupported: unsupportedSections(document.declared) };
}

const NO_POSITION: SourcePosition = { line: 0, column: 0 };
