import { type ExitCode, usageError } from '../command-error.ts';
import { type CommandSpec, jsonOption, MODEL_ARGUMENT } from '../command-spec.ts';
import { findModel } from '../model-file/find-model.ts';
import { requireModel } from '../model-file/read-model.ts';
import { supportsColour, type Terminal } from '../terminal/terminal.ts';
import { readLogUse, readMetricsUse } from '../versions/read-use.ts';
import { contractLines, contractsJson, listContracts } from '../versions/version-list.ts';
import type { UseByVersion } from '../versions/version-use.ts';

interface VersionsFlags {
  readonly log?: string;
  readonly metrics?: string;
  readonly json?: boolean;
}

/**
 * Prints the contracts of a model: their state, what a migration of their rows changes, and who calls them.
 *
 * @returns 0
 * @throws {CommandError} exit 1 for an invalid model and metrics that cannot be read, exit 2 for a file that cannot be
 *   read
 */
async function listVersions(file: string, flags: VersionsFlags, terminal: Terminal): Promise<ExitCode> {
  const { env, stdout } = terminal;
  if (flags.log !== undefined && flags.metrics !== undefined)
    throw usageError('--log and --metrics cannot be combined; pass one of them.');
  const { model } = await requireModel(file, env);
  const contracts = listContracts(model, await readUse(flags));
  stdout.write(
    flags.json === true
      ? `${JSON.stringify(contractsJson(file, model, contracts), null, 2)}\n`
      : `${contractLines(contracts, supportsColour(stdout, env)).join('\n')}\n`,
  );
  return 0;
}

async function readUse({ log, metrics }: VersionsFlags): Promise<UseByVersion | null> {
  if (log !== undefined) return readLogUse(log);
  return metrics === undefined ? null : readMetricsUse(metrics, fetch);
}

export const versionsSpec: CommandSpec = {
  name: 'versions',
  group: 'Models:',
  summary: 'list the versions of a model, and who calls them',
  description:
    'Lists the versions that a model serves: their state with the dates of deprecation and sunset, and what a migration to the newest one changes in their rows. With a log or the metrics of a server, also who still calls them.',
  arguments: [MODEL_ARGUMENT],
  options: [
    {
      name: 'log',
      value: { name: 'file', completes: 'file' },
      description: 'log of the server, in JSON or as readable lines: names the callers of deprecated versions',
    },
    {
      name: 'metrics',
      value: { name: 'url', completes: 'none' },
      description:
        'metrics of a running server, such as http://127.0.0.1:9090/metrics: counts the requests of each version',
    },
    jsonOption('the versions'),
  ],
  notes: `Examples:
  restwright versions shop.yaml
  restwright versions shop.yaml --log shop.log
  restwright versions shop.yaml --metrics http://127.0.0.1:9090/metrics
`,
  run: ([model = findModel()], flags: VersionsFlags, terminal) => listVersions(model, flags, terminal),
};
