import { readFile } from 'node:fs/promises';
import { isJsonObject } from '../../conventions/json/json.ts';
import { formatProblem } from '../../model/document/model-error.ts';
import { readDocument } from '../../model/document/read-document.ts';
import type { ModelDraft } from '../../infer/model-draft.ts';
import { inferOpenApi } from '../../infer/open-api/infer-open-api.ts';
import { commandFailed, usageError } from '../command-error.ts';
import { reading } from './data-file.ts';
import { describingErrors } from './infer-file.ts';

/**
 * The model of an OpenAPI description in JSON or YAML.
 *
 * @throws {CommandError} exit 2 for a file that cannot be read or is no description, exit 1 for an invalid one
 */
export async function readOpenApi(file: string): Promise<ModelDraft> {
  const text = await reading(file, () => readFile(file, 'utf8'));
  // Integers that are too large are left out: only the syntax must be valid.
  const { value, problems, readable } = readDocument({ file, text, env: null });
  if (!readable) throw commandFailed(problems.map(formatProblem).join('\n'));
  if (!isJsonObject(value) || !('openapi' in value || 'swagger' in value)) {
    throw usageError(
      `--from: ${file} is neither a data file nor an OpenAPI description; name a CSV or NDJSON file, a JSON file with an array or an object of arrays, or a description.`,
    );
  }
  return describingErrors(file, async () => inferOpenApi(value));
}
