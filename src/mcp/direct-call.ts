import { weakMemoize } from '../cache/memoize.ts';
import { isJsonObject, type Json, type JsonObject } from '../conventions/json/json.ts';
import type { HeaderFields } from '../conventions/headers/header-fields.ts';
import type { ApiResponse } from '../exchange/handler.ts';
import { writeJson } from '../formats/json.ts';
import { EDITION } from './edition.ts';
import type { AgentServer } from './agent-server.ts';
import type { AgentSession } from './session.ts';
import { TOOLS } from './tools.ts';

/** The names of the members by which the newest edition describes each message. */
const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  client: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  server: 'io.modelcontextprotocol/serverInfo',
} as const;

/** A call whose form leaves nothing to decide. */
export interface PlainCall {
  readonly id: string | number;
  readonly name: string;
  readonly given: JsonObject;
  readonly isNewest: boolean;
  readonly clientName: string | null;
}

/**
 * Reads a message that is a plain call of a tool: well-formed, in a known edition, without progress. Its header fields
 * say the same as its body.
 *
 * Almost all messages are such calls. The package of the protocol makes a server for each message, which takes several
 * times as long. It answers all others, and so all errors of the protocol.
 *
 * @returns null for any other message
 */
export function readPlainCall(message: Json, fields: HeaderFields): PlainCall | null {
  if (!isJsonObject(message) || !hasOnly(message, MESSAGE)) return null;
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !isJsonObject(params) || !hasOnly(params, PARAMS)) return null;
  const { name, arguments: given = {}, _meta: meta = {} } = params;
  if (typeof id !== 'string' && !(typeof id === 'number' && Number.isSafeInteger(id))) return null;
  if (typeof name !== 'string' || !TOOLS.some((tool) => tool.name === name)) return null;
  if (!isJsonObject(given) || !isJsonObject(meta) || !acceptsBoth(fields)) return null;
  const call = { id, name, given };
  if (isNewest(meta, name, fields)) return { ...call, isNewest: true, clientName: readClientName(meta) };
  const isBefore = fields.get('mcp-protocol-version') === EDITION.before && Object.keys(meta).length === 0;
  return isBefore ? { ...call, isNewest: false, clientName: null } : null;
}

const MESSAGE: readonly string[] = ['jsonrpc', 'id', 'method', 'params'];
const PARAMS: readonly string[] = ['name', 'arguments', '_meta'];
const ENVELOPE: readonly string[] = [META.version, META.client, META.capabilities];

function hasOnly(object: JsonObject, names: readonly string[]): boolean {
  return Object.keys(object).every((name) => names.includes(name));
}

/** True if the client accepts JSON and streams, as both editions require, and sends JSON. */
function acceptsBoth(fields: HeaderFields): boolean {
  const accept = fields.get('accept') ?? '';
  const isJson = fields.get('content-type') === 'application/json';
  return isJson && accept.includes('application/json') && accept.includes('text/event-stream');
}

/** True if the envelope and the header fields say that a call is of the newest edition. */
function isNewest(meta: JsonObject, name: string, fields: HeaderFields): boolean {
  const { [META.version]: version, [META.client]: client = EMPTY, [META.capabilities]: capabilities } = meta;
  return (
    version === EDITION.newest &&
    hasOnly(meta, ENVELOPE) &&
    isJsonObject(capabilities) &&
    // Other capabilities have forms, which the package checks.
    Object.keys(capabilities).length === 0 &&
    isJsonObject(client) &&
    hasOnly(client, ['name', 'version']) &&
    Object.values(client).every((value) => typeof value === 'string') &&
    (client === EMPTY || Object.keys(client).length === 2) &&
    fields.get('mcp-protocol-version') === EDITION.newest &&
    fields.get('mcp-method') === 'tools/call' &&
    fields.get('mcp-name') === name
  );
}

const EMPTY: JsonObject = Object.freeze({});

function readClientName({ [META.client]: client }: JsonObject): string | null {
  return isJsonObject(client) && typeof client['name'] === 'string' ? client['name'] : null;
}

/** Writes the members that results of the newest edition have last. They are those of the server. */
const writeNewestMembers = weakMemoize(
  ({ info }: AgentServer) => `,"resultType":"complete","_meta":${writeJson({ [META.server]: { ...info } })}`,
);

/** Answers a plain call, as the package of the protocol would. */
export async function answerPlainCall(
  { id, name, given, isNewest: isModern, clientName }: PlainCall,
  server: AgentServer,
  session: AgentSession,
): Promise<ApiResponse> {
  const context = { session, clientName, isCancelled: () => false, report: null };
  const { isError, text } = await server.call(name, given, context);
  const edition = isModern ? writeNewestMembers(server) : '';
  const result = `{"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text},"isError":${isError}${edition}}`;
  const body = `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
  return { status: 200, headers: ['Content-Type', 'application/json'], body };
}
