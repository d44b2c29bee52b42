import process from 'node:process';
import type * as Sdk from '@modelcontextprotocol/server';
import type { Server, ServerContext } from '@modelcontextprotocol/server';
import type { Json, JsonObject } from '../conventions/json/json.ts';
import { EDITION } from './edition.ts';
import { type AgentContext, type AgentServer, UnknownTool } from './agent-server.ts';
import type { AgentSession } from './session.ts';

/** The package of the protocol is not installed. */
export class AgentPackageMissing extends Error {
  override readonly name = 'AgentPackageMissing';

  constructor(cause: unknown) {
    super('MCP needs the package @modelcontextprotocol/server: run `npm install @modelcontextprotocol/server`.', {
      cause,
    });
  }
}

/** The protocol, by the package of its authors. This is the one file that imports it. */
export interface AgentProtocol {
  /** Serves messages over HTTP without sessions, each by a server of its own. */
  serveMessages(server: AgentServer): AgentMessages;
  /** Serves the standard streams of this process until their end. */
  serveStandardStreams(server: AgentServer, openSession: () => AgentSession): { readonly ended: Promise<void> };
}

/** Answers the messages of agents. @param parsed the body as JSON */
export type AgentMessages = (request: Request, parsed: Json, session: AgentSession) => Promise<Response>;

/** Loads the package. @throws {AgentPackageMissing} */
export async function loadProtocol(): Promise<AgentProtocol> {
  const [sdk, stdio] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('@modelcontextprotocol/server/stdio'),
  ]).catch((error: unknown) => {
    throw new AgentPackageMissing(error);
  });
  return {
    serveMessages: (agents) => serveMessages(sdk, agents),
    serveStandardStreams(agents, openSession) {
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      for (const event of ['end', 'close']) process.stdin.once(event, () => resolve());
      stdio.serveStdio(() => createServer(sdk, agents, openSession));
      return { ended };
    },
  };
}

function serveMessages(sdk: typeof Sdk, agents: AgentServer): AgentMessages {
  const sessions = new WeakMap<Request, AgentSession>();
  const handler = sdk.createMcpHandler(
    ({ requestInfo }) => {
      const session = requestInfo === undefined ? undefined : sessions.get(requestInfo);
      if (session === undefined) throw new Error('a message has no session');
      return createServer(sdk, agents, () => session);
    },
    { keepAliveMs: 0 },
  );
  return (request, parsedBody, session) => {
    sessions.set(request, session);
    return handler.fetch(request, { parsedBody });
  };
}

/** Elicitation, the one use of a validator, is not offered. */
const NO_VALIDATOR: Sdk.jsonSchemaValidator = {
  getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'not supported' }),
};

/** Creates the server of one message, or of one connection by standard streams. */
function createServer(sdk: typeof Sdk, agents: AgentServer, openSession: () => AgentSession): Server {
  const server = new sdk.Server(agents.info, {
    // There are no prompts, and clients that list them all the same get an empty list.
    capabilities: { tools: {}, resources: {}, prompts: {} },
    cacheHints: CACHED,
    instructions: agents.instructions,
    jsonSchemaValidator: NO_VALIDATOR,
    supportedProtocolVersions: [EDITION.newest, EDITION.before],
  });
  const readMessageContext = (context: ServerContext): AgentContext => readContext(sdk, server, openSession(), context);
  server.setRequestHandler('tools/list', () => ({ tools: agents.tools.map((tool) => ({ ...tool })) }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const given = params.arguments ?? {};
    try {
      const called = await agents.call(params.name, isMembers(given) ? given : {}, readMessageContext(context));
      const structuredContent: JsonObject = JSON.parse(called.text);
      return { isError: called.isError, structuredContent, content: [{ type: 'text', text: called.text }] };
    } catch (error) {
      throw error instanceof UnknownTool ? new sdk.ProtocolError(sdk.INVALID_PARAMS, error.message) : error;
    }
  });
  server.setRequestHandler('prompts/list', () => ({ prompts: [] }));
  server.setRequestHandler('prompts/get', ({ params: { name } }) => {
    throw new sdk.ProtocolError(
      sdk.INVALID_PARAMS,
      `There is no prompt ${JSON.stringify(name)}; this server has none.`,
    );
  });
  server.setRequestHandler('resources/list', () => ({ resources: [...agents.listResources()] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [...agents.listTemplates()] }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }, context) => {
    const found = await agents.read(uri, readMessageContext(context));
    if (found.kind === 'absent') throw new sdk.ResourceNotFoundError(uri);
    if (found.kind === 'refused') throw new sdk.ProtocolError(sdk.INVALID_PARAMS, found.message);
    return { contents: [{ uri, mimeType: 'application/json', text: found.text }] };
  });
  return server;
}

/** Lists do not change while a server runs. The hint is for the caller alone, like the caching of rows. */
const LIST: Sdk.CacheHint = { ttlMs: 300_000, cacheScope: 'private' };
const CACHED: NonNullable<Sdk.ServerOptions['cacheHints']> = {
  'tools/list': LIST,
  'prompts/list': LIST,
  'resources/list': LIST,
  'resources/templates/list': LIST,
  'server/discover': LIST,
};

function readContext(sdk: typeof Sdk, server: Server, session: AgentSession, { mcpReq }: ServerContext): AgentContext {
  const token = mcpReq._meta?.progressToken;
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const named = envelope[sdk.CLIENT_INFO_META_KEY] ?? server.getClientVersion();
  return {
    session,
    clientName: readName(named),
    isCancelled: () => mcpReq.signal.aborted,
    report:
      token === undefined
        ? null
        : (seconds) => {
            const params = { progressToken: token, progress: seconds, message: `running for ${seconds} s` };
            // A report that cannot be sent changes nothing for the call.
            mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
          },
  };
}

/** True of what was parsed as a JSON object, which the package types as unknown members. */
function isMembers(value: object): value is JsonObject {
  return !Array.isArray(value);
}

function readName(info: unknown): string | null {
  return typeof info === 'object' && info !== null && 'name' in info && typeof info.name === 'string'
    ? info.name
    : null;
}
