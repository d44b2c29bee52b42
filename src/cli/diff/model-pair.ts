import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject, type Json } from '../../conventions/json/json.ts';
import { versionText } from '../../conventions/versioning.ts';
import { type ApiDescription, DescriptionError, readDescription } from '../../describe/diff/api-description.ts';
import { diffDescriptions } from '../../describe/diff/diff-descriptions.ts';
import { describedContracts, type OpenApiEdition } from '../../describe/described-contract.ts';
import { openApiDocument } from '../../describe/openapi/open-api-document.ts';
import { formatProblem } from '../../model/document/model-error.ts';
import { readDocument } from '../../model/document/read-document.ts';
import type { Difference } from '../../model/diff/difference.ts';
import { diffModels, type ModelDiff } from '../../model/diff/diff-models.ts';
import { type Clients, highestPart, judgeVersion, type VersionVerdict } from '../../model/diff/needed-version.ts';
import type { ContractVersion, Model } from '../../model/model.ts';
import { findStoredContract } from '../../stores/sql/conversion/stored-contract.ts';
import type { StoredRowChange } from '../../versions/row-changes.ts';
import { describeRowStep } from '../../versions/row-step.ts';
import { CommandError, commandFailed } from '../command-error.ts';
import { reading } from '../data-file/data-file.ts';
import { readModel } from '../model-file/read-model.ts';
import type { EnvironmentVariables } from '../setting-value.ts';

/** A model or a published description, with the path of its file as given on the command line. */
export type ComparedFile =
  | { readonly kind: 'model'; readonly file: string; readonly model: Model }
  | { readonly kind: 'description'; readonly file: string; readonly description: ApiDescription };

/** Two of them, what differs between them, and what that means for the version of the new one. */
export interface ComparedModels {
  readonly was: ComparedFile;
  readonly is: ComparedFile;
  readonly clients: Clients;
  readonly differences: readonly Difference[];
  readonly notes: readonly string[];
  readonly verdict: VersionVerdict;
  /** The effect on stored rows of the old model; empty where a description was compared. */
  readonly rows: readonly StoredRowChange[];
}

/** Maximum bytes of a description. */
const MAX_BYTES = 16 * 1024 * 1024;

/** A text that can be a description. Its members are parsed to decide. */
const DESCRIPTION = /(?:^|[{,\s])["']?(?:openapi|swagger)["']?\s*:/;

/**
 * Reads one of two models, or an OpenAPI description of one.
 *
 * @param role which one, for messages: `old`, `new` or `published`
 * @throws {CommandError} exit 2 for a missing file, exit 1 for an invalid model, with every error, or a description
 *   that cannot be compared
 */
export async function readCompared(role: string, file: string, env: EnvironmentVariables): Promise<ComparedFile> {
  const document = await readOpenApiDocument(role, file);
  if (document !== null) {
    return { kind: 'description', file, description: comparing(file, () => readDescription(document)) };
  }
  const read = await readModel(file, env).catch((error: unknown) => {
    if (error instanceof CommandError) throw new CommandError(error.exitCode, `the ${role} model: ${error.message}`);
    throw error;
  });
  if (read.kind === 'model') return { kind: 'model', file, model: read.loaded.model };
  throw commandFailed(`the ${role} model is not valid:\n${read.problems.map(formatProblem).join('\n')}`);
}

/** The version of the API. */
export function versionOfFile(compared: ComparedFile): ContractVersion {
  return compared.kind === 'model' ? compared.model.version : compared.description.version;
}

/**
 * Compares two files and judges the version of the new one (VER-6): two models by themselves, anything else by their
 * descriptions.
 *
 * @throws {CommandError} exit 1 for a description that cannot be compared
 */
export function compareModels(was: ComparedFile, is: ComparedFile, clients: Clients): ComparedModels {
  const { differences, notes } = diffFiles(was, is);
  const verdict = judgeVersion(highestPart(differences, clients), versionOfFile(was), versionOfFile(is));
  return { was, is, clients, differences, notes, verdict, rows: compareRows(was, is) };
}

/** The effect of a migration from one model to another on stored rows. Descriptions do not say how rows are stored. */
function compareRows(was: ComparedFile, is: ComparedFile): readonly StoredRowChange[] {
  if (was.kind !== 'model' || is.kind !== 'model') return [];
  const version = findStoredContract(is.model, { version: versionText(was.model.version), profile: null });
  return describeRowStep(was.model, is.model, version);
}

function diffFiles(was: ComparedFile, is: ComparedFile): ModelDiff {
  if (was.kind === 'model' && is.kind === 'model') return diffModels(was.model, is.model);
  const editions = [was, is].map((each) => (each.kind === 'description' ? each.description.edition : null));
  const edition = editions.includes('3.2') ? '3.2' : '3.1';
  return comparing(`${was.file} and ${is.file}`, () =>
    diffDescriptions(describeNewest(was, edition), describeNewest(is, edition)),
  );
}

/** The description of the newest version. */
function describeNewest(compared: ComparedFile, edition: OpenApiEdition): ApiDescription {
  if (compared.kind === 'description') return compared.description;
  const [newest] = describedContracts(compared.model);
  return readDescription(newest === undefined ? null : openApiDocument(newest, edition));
}

/** The value of a file with an OpenAPI description; null for any other file. */
async function readOpenApiDocument(role: string, file: string): Promise<Json> {
  if (!/^\.(?:json|ya?ml)$/i.test(path.extname(file))) return null;
  const size = await stat(file).then(
    (found) => found.size,
    () => null,
  );
  // A file that is not there is reported as a model.
  if (size === null || size > MAX_BYTES) return null;
  const text = await reading(file, () => readFile(file, 'utf8'));
  if (!DESCRIPTION.test(text)) return null;
  // Integers that are too large are left out: only the syntax must be valid.
  const { value, problems, readable } = readDocument({ file, text, env: null });
  if (!readable)
    throw commandFailed(`the ${role} description is not valid:\n${problems.map(formatProblem).join('\n')}`);
  return isJsonObject(value) && ('openapi' in value || 'swagger' in value) ? value : null;
}

/** @throws {CommandError} exit 1 where a description cannot be compared */
function comparing<T>(files: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DescriptionError) throw commandFailed(`${files} cannot be compared: ${error.message}.`);
    throw error;
  }
}
