import type { JsonObject } from '../../../src/conventions/json.ts';
import { describedContracts, type OpenApiEdition } from '../../../src/describe/openapi/described-contract.ts';
import { openApiDocument } from '../../../src/describe/openapi/open-api-document.ts';
import { loadModel } from '../../../src/model/load-model.ts';

/** The descriptions of all contracts of a model document, the newest first. */
export function descriptionsOf(text: string, edition: OpenApiEdition = '3.1'): readonly JsonObject[] {
  const { model } = loadModel({ file: 'model.yaml', text, env: {} });
  return describedContracts(model).map((contract) => openApiDocument(contract, edition));
}

/** The description of the newest contract. */
export function descriptionOf(text: string, edition: OpenApiEdition = '3.1'): JsonObject {
  const [newest = {}] = descriptionsOf(text, edition);
  return newest;
}
