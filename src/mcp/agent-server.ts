import { memoize } from '../cache/memoize.ts';
import type { JsonObject } from '../conventions/json/json.ts';
import { closestMatch } from '../conventions/text/closest-match.ts';
import { quoted } from '../conventions/text/quoted.ts';
import { programVersion } from '../platform/process/program-version.ts';
import { callTool } from './call-tool.ts';
import { writeInstructions } from './instructions.ts';
import { repeatByTimer, type Repeat, withProgress } from './progress.ts';
import {
  type ReadOutcome,
  listResources,
  listResourceTemplates,
  readResource,
  type ResourceEntry,
} from './resources.ts';
import type { AgentApi, AgentName, AgentSession } from './session.ts';
import type { ToolResult } from './tool-result.ts';
import { declareTool, listTools, type ToolDeclaration, TOOLS } from './tools.ts';

/** A message of an agent, as the protocol has read it. */
export interface AgentContext {
  readonly session: AgentSession;
  /** The name that the client gives itself; null if it gave none. */
  readonly clientName: string | null;
  readonly isCancelled: () => boolean;
  /** Reports that a call still runs; null if the client requests none. */
  readonly report: ((seconds: number) => void) | null;
}

/** The tools and resources of an API, whatever the transport and the edition of the protocol. */
export interface AgentServer {
  readonly info: { readonly name: string; readonly title: string; readonly version: string };
  readonly instructions: string;
  readonly tools: readonly ToolDeclaration[];
  listResources(): readonly ResourceEntry[];
  listTemplates(): ReturnType<typeof listResourceTemplates>;
  /** Calls a tool. @throws {UnknownTool} */
  call(name: string, given: JsonObject, context: AgentContext): Promise<ToolResult>;
  read(uri: string, context: AgentContext): Promise<ReadOutcome>;
}

/** A call names no tool. */
export class UnknownTool extends Error {
  override readonly name = 'UnknownTool';
}

/** Longest name of a client in events. */
const MAX_NAME = 64;

/** Creates the tools and resources of an API. */
export function createAgentServer(api: AgentApi, repeat: Repeat = repeatByTimer): AgentServer {
  const { model, mode } = api;
  const names = listTools(mode).map(({ name }) => name);
  return {
    info: { name: model.name, title: model.title, version: programVersion() },
    instructions: writeInstructions(model.title, mode),
    tools: listTools(mode).map(declareTool),
    listResources: () => listResources(api),
    listTemplates: () => listResourceTemplates(api),
    async call(name, given, context) {
      // A tool that only writers have is known to readers, whose calls say how the user allows it.
      const tool = TOOLS.find((each) => each.name === name);
      if (tool === undefined) throw unknownTool(name, names);
      const call = { given, session: context.session, agent: nameAgent(context) };
      return withProgress(() => callTool(tool, call), context.report, repeat);
    },
    read: (uri, context) => readResource(context.session, uri, nameAgent(context)),
  };
}

function unknownTool(name: string, names: readonly string[]): UnknownTool {
  const near = closestMatch(name, names);
  const hint = near === null ? '' : ` Did you mean ${near}?`;
  return new UnknownTool(`There is no tool ${quoted(name)}.${hint} The tools are ${names.join(', ')}.`);
}

/** Names the agent in events: no credentials prove this name, so it has a prefix. */
function nameAgent({ clientName, isCancelled }: AgentContext): AgentName {
  return { name: writeAgentName(clientName ?? ''), isCancelled };
}

const writeAgentName = memoize((clientName) => {
  const clean = clientName.replaceAll(/[^\x20-\x7e]/g, '').slice(0, MAX_NAME);
  return clean === '' ? 'mcp' : `mcp:${clean}`;
});
