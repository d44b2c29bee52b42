import { asyncApiDocument } from '../../describe/asyncapi/async-api-document.ts';
import { describedContracts } from '../../describe/described-contract.ts';
import type { ExitCode } from '../command-error.ts';
import { type CommandSpec, MODEL_ARGUMENT } from '../command-spec.ts';
import { findContract, VERSION_OPTION } from '../described-version.ts';
import { findModel } from '../model-file/find-model.ts';
import { requireModel } from '../model-file/read-model.ts';
import type { Terminal } from '../terminal/terminal.ts';

interface AsyncApiFlags {
  readonly apiVersion?: string;
}

/**
 * Prints the description of the events of an API in AsyncAPI: what `/asyncapi.json` of its server has (EVT-10).
 *
 * @throws {CommandError} exit 2 for a version that the model does not serve
 */
async function asyncapi(file: string, { apiVersion }: AsyncApiFlags, terminal: Terminal): Promise<ExitCode> {
  const { model } = await requireModel(file, terminal.env);
  const contract = findContract(describedContracts(model), apiVersion);
  terminal.stdout.write(`${JSON.stringify(asyncApiDocument(contract), null, 2)}\n`);
  return 0;
}

export const asyncapiSpec: CommandSpec = {
  name: 'asyncapi',
  group: 'Models:',
  summary: 'print the AsyncAPI description of the events of an API',
  description: 'Prints the AsyncAPI 3 description of the events of an API, as its server returns it at /asyncapi.json.',
  arguments: [MODEL_ARGUMENT],
  options: [VERSION_OPTION],
  notes: `The order of the members is stable, so that two descriptions can be compared
line by line.

Examples:
  restwright asyncapi shop.yaml > asyncapi.json
  restwright asyncapi shop.yaml --api-version 1
`,
  run: ([model = findModel()], flags: AsyncApiFlags, terminal) => asyncapi(model, flags, terminal),
};
