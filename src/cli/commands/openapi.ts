import type { JsonObject } from '../../conventions/json/json.ts';
import { describedContracts, OPEN_API_EDITIONS, OPEN_API_PROFILES } from '../../describe/described-contract.ts';
import { withOneMediaType } from '../../describe/openapi/one-media-type.ts';
import { openApiDocument } from '../../describe/openapi/open-api-document.ts';
import { type ExitCode, usageError } from '../command-error.ts';
import { findContract, VERSION_OPTION } from '../described-version.ts';
import { type CommandSpec, MODEL_ARGUMENT } from '../command-spec.ts';
import { findModel } from '../model-file/find-model.ts';
import { requireModel } from '../model-file/read-model.ts';
import type { Terminal } from '../terminal/terminal.ts';

interface OpenApiFlags {
  readonly apiVersion?: string;
  readonly openapi?: string;
  readonly mediaType?: string;
  readonly for?: string;
}

/**
 * Prints the description of an API in OpenAPI: what `/openapi.json` of its server has (OPS-1).
 *
 * @throws {CommandError} exit 2 for a version that the model does not serve, an unknown version of OpenAPI or
 *   profile, or an unused media type
 */
async function openapi(file: string, flags: OpenApiFlags, terminal: Terminal): Promise<ExitCode> {
  const edition = choose('openapi', 'version', OPEN_API_EDITIONS, flags.openapi);
  const profile = choose('for', 'profile', OPEN_API_PROFILES, flags.for);
  const { model } = await requireModel(file, terminal.env);
  const contract = findContract(describedContracts(model), flags.apiVersion);
  const document = narrowed(openApiDocument(contract, edition, profile), flags.mediaType);
  terminal.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  return 0;
}

function narrowed(document: JsonObject, mediaType: string | undefined): JsonObject {
  if (mediaType === undefined) return document;
  const narrow = withOneMediaType(document, mediaType);
  if (narrow !== null) return narrow;
  throw usageError(
    `--media-type: no body has the media type '${mediaType}'; use a media type of the description, such as application/json.`,
  );
}

/** Chooses one of some values, the default first. @throws {CommandError} exit 2 for another one */
function choose<Value extends string>(
  option: string,
  noun: string,
  values: readonly [Value, ...Value[]],
  given: string = values[0],
): Value {
  const value = values.find((each) => each === given);
  if (value !== undefined) return value;
  throw usageError(`--${option}: '${given}' is not a supported ${noun}; use ${values.join(' or ')}.`);
}

export const openapiSpec: CommandSpec = {
  name: 'openapi',
  group: 'Models:',
  summary: 'print the OpenAPI description of an API',
  description: 'Prints the OpenAPI description of an API, as its server returns it at /openapi.json.',
  arguments: [MODEL_ARGUMENT],
  options: [
    VERSION_OPTION,
    {
      name: 'openapi',
      value: { name: 'version', completes: OPEN_API_EDITIONS },
      description:
        'OpenAPI version; default: 3.1. Version 3.2 also describes the method QUERY and the schemas of NDJSON lines',
    },
    {
      name: 'for',
      value: { name: 'profile', completes: OPEN_API_PROFILES },
      description:
        'generators: for code generators, with filters as one object for each collection, JSON alone, and one response for all errors; default: full',
    },
    {
      name: 'media-type',
      value: { name: 'type', completes: ['application/json'] },
      description: 'omit all other media types of a body, for code generators that would merge their types',
    },
  ],
  notes: `The order of the members is stable, so that two descriptions can be compared
line by line.

Examples:
  restwright openapi shop.yaml > openapi.json
  restwright openapi shop.yaml --api-version 1 --openapi 3.2
  restwright openapi shop.yaml --for generators
  restwright openapi shop.yaml --media-type application/json
`,
  run: ([model = findModel()], flags: OpenApiFlags, terminal) => openapi(model, flags, terminal),
};
