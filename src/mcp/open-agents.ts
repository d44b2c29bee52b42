import type { AgentEndpoint } from '../exchange/agent-endpoint.ts';
import type { Handler } from '../exchange/handler.ts';
import type { Model } from '../model/model.ts';
import { digest } from '../platform/digest.ts';
import { createSeal } from '../platform/seal.ts';
import { createAgentServer } from './agent-server.ts';
import { createEndpoint } from './endpoint.ts';
import { type AgentProtocol, loadProtocol } from './sdk.ts';
import { type AgentApi, AgentSession } from './session.ts';
import type { AgentMode } from './tools.ts';

/** The ways by which agents use an API (OPS-8). */
export interface Agents {
  /** Answers messages that come by HTTP. */
  readonly endpoint: AgentEndpoint;
  /**
   * Serves the standard streams of this process until their end.
   *
   * @param token the credentials of the user; null without any
   */
  serveStandardStreams(token: string | null): { readonly ended: Promise<void> };
}

/** The parts of an API that agents need. */
interface AgentParts {
  readonly model: Model;
  /** null if no agents are served. */
  readonly mode: AgentMode | null;
  readonly origin: () => string;
  /** Seals the values that confirm requests: they hold in each process of the API. */
  readonly secret: Uint8Array;
  /** Finds the handler of the API, which is made after this. */
  readonly findHandler: () => Handler;
}

/** The model has a collection at the path of agents. */
export class AgentPathTaken extends Error {
  override readonly name = 'AgentPathTaken';

  constructor() {
    super('The model has a collection mcp, whose path is that of agents: rename it, or serve no agents.');
  }
}

/** Characters of a value that confirms a request. */
const CONFIRM_LENGTH = 16;

/** Opens the ways of agents to an API. @throws {AgentPackageMissing} {AgentPathTaken} */
export async function openAgents({ model, mode, origin, secret, findHandler }: AgentParts): Promise<Agents | null> {
  if (mode === null) return null;
  if (model.collections.has('mcp')) throw new AgentPathTaken();
  const seal = createSeal(secret, 'agents');
  const api: AgentApi = {
    model,
    mode,
    origin,
    handler: {
      handle: (request) => findHandler().handle(request),
      refuse: (error, request) => findHandler().refuse(error, request),
    },
    confirm: (text) => digest(seal.seal(text)).slice(0, CONFIRM_LENGTH),
  };
  return composeAgents(api, await loadProtocol());
}

function composeAgents(api: AgentApi, protocol: AgentProtocol): Agents {
  const server = createAgentServer(api);
  return {
    endpoint: createEndpoint(api, server, protocol.serveMessages(server)),
    serveStandardStreams(token) {
      const credentials = token === null ? [] : ['Authorization', `Bearer ${token}`];
      const headers = ['Host', 'localhost', ...credentials];
      const openSession = (): AgentSession => new AgentSession(api, { peer: '127.0.0.1', headers, isPaid: false });
      return protocol.serveStandardStreams(server, openSession);
    },
  };
}
