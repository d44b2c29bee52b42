import type { AgentMode } from '../../mcp/tools.ts';
import type { ExitCode } from '../command-error.ts';
import { AGENT_OPTION, type CommandSpec, DATABASE_OPTIONS, MODEL_ARGUMENT } from '../command-spec.ts';
import { type DatabaseFlags, databaseLocation, usedDatabase } from '../database-settings.ts';
import { listOwnResources } from '../../model/table-source.ts';
import { findModel } from '../model-file/find-model.ts';
import { requireModel } from '../model-file/read-model.ts';
import { openWithoutServer } from '../open-database.ts';
import { agentSetting } from '../settings.ts';
import { type Terminal, waitForStop } from '../terminal/terminal.ts';

interface McpFlags extends DatabaseFlags {
  readonly mcp?: string;
}

/** The access of agents that no flag and no variable names. */
const DEFAULT_MODE: AgentMode = 'read';

/**
 * Serves agents by standard input and output until the input ends or a signal stops the process. Standard output has
 * the messages of the protocol alone.
 *
 * @throws {CommandError} exit 2 for an invalid setting; exit 1 for an invalid model, an unusable database or a missing
 *   package
 */
async function serveAgents(file: string, flags: McpFlags, terminal: Terminal): Promise<ExitCode> {
  const { env } = terminal;
  const mcp = agentSetting(flags.mcp, env) ?? DEFAULT_MODE;
  const location = databaseLocation(flags, env);
  const { model, services } = await requireModel(file, env);
  const readOnly = mcp === 'read' && listOwnResources(model).length === 0;
  const used = { ...usedDatabase(location, model.name), modelFile: file, mcp, services, readOnly };
  const signal = terminal.stopSignal();
  const { api, close } = await openWithoutServer(model, used, terminal);
  try {
    const token = env['RESTWRIGHT_TOKEN'] ?? '';
    const serving = api.agents?.serveStandardStreams(token === '' ? null : token);
    await Promise.race([serving?.ended, waitForStop(signal)]);
    return 0;
  } finally {
    await close();
  }
}

export const mcpSpec: CommandSpec = {
  name: 'mcp',
  group: 'Serving:',
  summary: 'serve a model to an agent on this machine',
  description: 'Serves the API of a model to an agent by MCP, on standard input and output. Agents start this command.',
  arguments: [MODEL_ARGUMENT],
  options: [{ ...AGENT_OPTION, description: `${AGENT_OPTION.description}; default: read` }, ...DATABASE_OPTIONS],
  notes: `The variable RESTWRIGHT_TOKEN has the token or the API key of the user, for a
model with \`auth\`. Webhooks and after hooks run where serve runs.

Examples:
  restwright mcp shop.yaml
  restwright mcp shop.yaml --mcp write
`,
  run: ([model = findModel()], flags: McpFlags, terminal) => serveAgents(model, flags, terminal),
};
