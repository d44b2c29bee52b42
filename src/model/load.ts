import { isJsonObject } from '../conventions/json.ts';
import { compileModel, type Digest } from './compile-model.ts';
import { type DocumentSource, readDocument } from './document.ts';
import { checkDocument } from './document-check.ts';
import { FaultList, ModelError } from './fault.ts';
import type { Model } from './model.ts';
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
  checkDocument(value, faults.reportUntold());
  const document = { declared: isJsonObject(value) ? value : {}, path: [], report: faults.reportUntold() };
  refuseUnserved(document);
  const model = compileModel(document, source.digest);
  const found = faults.sorted();
  if (found.length > 0) throw new ModelError(found);
  return { model, notServed: unservedSections(document.declared) };
}
