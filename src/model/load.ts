import { isJsonObject, type Json } from '../conventions/json.ts';
import { compileModel, type Digest, type ModelCode } from './compile-model.ts';
import type { DefinedModel } from './define.ts';
import { type DocumentSource, readDocument } from './document.ts';
import { checkDocument } from './document-check.ts';
import { FaultList, ModelError, type Position } from './fault.ts';
import type { Context } from './hooks.ts';
import type { Model } from './model.ts';
import { CODE_MEMBERS, plainSchema, type ResourceCode } from './resource-code.ts';
import { refuseUnserved, unservedSections } from './unserved.ts';

/** A model document and what it is compiled with. */
export interface ModelSource extends DocumentSource {
  /** Digest of a text, in characters that an entity tag may hold. */
  readonly digest: Digest;
}

/** A model that can be served. */
export interface LoadedModel {
  /** Frozen through and through. */
  readonly model: Model;
  /** One line for each section that is declared and that a later version serves. */
  readonly notServed: readonly string[];
  /** What its hooks get of the application; nothing where the model is data. */
  readonly context: Context;
}

/**
 * Reads, checks and compiles a model document.
 *
 * @throws {ModelError} with every fault of the document: line, column, path, cause and fix
 */
export function loadModel(source: ModelSource): LoadedModel {
  const { value, locate, faults: textFaults, readable } = readDocument(source);
  if (!readable) throw new ModelError(textFaults);
  const faults = new FaultList(source.file, locate, textFaults);
  return { ...compile(value, faults, source.digest, new Map()), context: {} };
}

/** A model in TypeScript and what it is compiled with. */
export interface DefinitionSource {
  /** Name of its module, for messages. */
  readonly file: string;
  readonly defined: DefinedModel;
  readonly env: DocumentSource['env'];
  readonly digest: Digest;
}

/**
 * Checks and compiles a model in TypeScript: its data as a document is, its code beside.
 *
 * @throws {ModelError} with every fault: path, cause and fix; a module has no lines to tell
 */
export function loadDefinition({ file, defined, env, digest }: DefinitionSource): LoadedModel {
  const { data, code } = takeApart(defined);
  const text = JSON.stringify(data);
  const { value, faults: textFaults } = readDocument({ file: `${file}.json`, text, env });
  const faults = new FaultList(file, () => NOWHERE);
  for (const { path, cause, fix } of textFaults) faults.report(path === '' ? [] : [path], cause, fix);
  return { ...compile(value, faults, digest, code), context: defined.services };
}

/** @throws {ModelError} */
function compile(value: Json, faults: FaultList, digest: Digest, code: ModelCode): Omit<LoadedModel, 'context'> {
  checkDocument(value, faults.reportUntold());
  const document = { declared: isJsonObject(value) ? value : {}, path: [], report: faults.reportUntold() };
  refuseUnserved(document);
  const model = compileModel(document, digest, code);
  const found = faults.sorted();
  if (found.length > 0) throw new ModelError(found);
  return { model, notServed: unservedSections(document.declared) };
}

const NOWHERE: Position = { line: 0, column: 0 };

/** The data of a model, its schemas as plain JSON Schema, and the code of its resources. */
function takeApart({ definition }: DefinedModel): { readonly data: object; readonly code: ModelCode } {
  const code = new Map<string, ResourceCode>();
  const resources = Object.entries(definition.resources).map(([name, declared]) => {
    const members = Object.entries(declared);
    const isCode = (member: string): boolean => CODE_MEMBERS.some((each) => each === member);
    code.set(name, Object.fromEntries(members.filter(([member]) => isCode(member))));
    const data = Object.fromEntries(members.filter(([member]) => !isCode(member)));
    return [name, { ...data, schema: plainSchema(declared.schema) }];
  });
  const data = Object.entries(definition).filter(([member]) => member !== 'services');
  return { data: { ...Object.fromEntries(data), resources: Object.fromEntries(resources) }, code };
}
