import { versionText } from '../../conventions/versioning.ts';
import { clientTypes, servedVersions, typedContract } from '../../describe/client-types/client-types.ts';
import { type ExitCode, usageError } from '../command-error.ts';
import { type CommandSpec, MODEL_ARGUMENT } from '../command-spec.ts';
import { findModel } from '../model-file/find-model.ts';
import { requireModel } from '../model-file/read-model.ts';
import type { Terminal } from '../terminal/terminal.ts';

interface ClientFlags {
  readonly apiVersion?: string;
}

/**
 * Prints the types of an API for the client. @throws {CommandError} exit 2 for a version that the model does not serve
 */
async function client(file: string, { apiVersion }: ClientFlags, { env, stdout }: Terminal): Promise<ExitCode> {
  const { model } = await requireModel(file, env);
  const contract = typedContract(model, apiVersion ?? null);
  if (contract === null) {
    const list = servedVersions(model).map(versionText).join(', ');
    throw usageError(`${file} does not serve version ${apiVersion}; it serves ${list}.`);
  }
  stdout.write(clientTypes(contract));
  return 0;
}

export const clientSpec: CommandSpec = {
  name: 'client',
  group: 'Models:',
  summary: 'print the types of an API for the client restwright/client',
  description:
    'Prints the TypeScript types of an API for the client restwright/client. With a TypeScript model they are not needed, because the client infers them.',
  arguments: [MODEL_ARGUMENT],
  options: [
    {
      name: 'api-version',
      value: { name: 'version', completes: 'none' },
      description: 'older version that the model serves, such as 1 or 1.2; default: the newest version',
    },
  ],
  notes: `Examples:
  restwright client shop.yaml > api.d.ts
`,
  run: ([model = findModel()], flags: ClientFlags, terminal) => client(model, flags, terminal),
};
