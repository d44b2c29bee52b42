import { ApiError } from '../conventions/errors.ts';
import { bodyTooLargeError } from '../conventions/receive-errors.ts';
import { isJsonObject, type Json } from '../conventions/json/json.ts';
import type { AgentEndpoint, AgentMessage } from '../exchange/agent-endpoint.ts';
import { type ApiResponse, type BodyStream, isStreamed } from '../exchange/handler.ts';
import { readJson } from '../formats/json.ts';
import type { AgentServer } from './agent-server.ts';
import { answerPlainCall, readPlainCall } from './direct-call.ts';
import type { AgentMessages } from './sdk.ts';
import { type AgentApi, AgentSession, passHeaders } from './session.ts';

/** Bytes around the body of a request in a message, and levels of its structure. */
const ENVELOPE = { bytes: 65_536, depth: 8 };

/** The header fields of a message that the protocol reads. */
const READ: readonly string[] = [
  'accept',
  'content-type',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
];

/** Creates the endpoint of agents by HTTP (OPS-8). @param answer by the protocol */
export function createEndpoint(api: AgentApi, server: AgentServer, answer: AgentMessages): AgentEndpoint {
  return (message) => answerMessage(message, { api, server, answer });
}

interface EndpointParts {
  readonly api: AgentApi;
  readonly server: AgentServer;
  readonly answer: AgentMessages;
}

async function answerMessage(message: AgentMessage, parts: EndpointParts): Promise<ApiResponse> {
  if (!message.isAllowedOrigin) return refuseMessage(403, -32_000, 'Forbidden: a page of another site sent this.');
  const { api, server, answer } = parts;
  const { fields } = message;
  const parsed = await readMessage(message, api);
  if (parsed === null) return refuseMessage(400, -32_700, 'Parse error: the body is not valid JSON (I-JSON).');
  if (Array.isArray(parsed))
    return refuseMessage(400, -32_600, 'Invalid request: no batches of messages; send each by itself.');
  const session = openSession(message, api);
  const call = readPlainCall(parsed, fields);
  if (call !== null) return answerPlainCall(call, server, session);
  const response = await answer(toWebRequest(message, api), parsed, session);
  const isListening = isJsonObject(parsed) && parsed['method'] === 'subscriptions/listen';
  return isListening ? acknowledge(response) : toApiResponse(response);
}

/** Opens the way of a message to the API, with its credentials and its correlation id. */
function openSession({ request, correlationId }: AgentMessage, api: AgentApi): AgentSession {
  const { peer, scheme = 'http', client } = request;
  const headers = [...passHeaders(request.headers), 'X-Correlation-ID', correlationId];
  return new AgentSession(api, { peer, scheme, ...(client === undefined ? {} : { client }), headers, isPaid: true });
}

/** Makes the request that the package of the protocol reads. Its body is given as JSON. */
function toWebRequest({ request, fields }: AgentMessage, { model }: AgentApi): Request {
  const headers = READ.flatMap((name): [string, string][] => {
    const value = fields.get(name);
    return value === null ? [] : [[name, value]];
  });
  return new Request(`http://localhost${model.basePath}/mcp`, { method: request.method, headers });
}

/**
 * Ends a subscription after its acknowledgement, the first frame: nothing changes of which it could report. It holds no
 * place then, and delays no shutdown.
 */
async function acknowledge(response: Response): Promise<ApiResponse> {
  const head = await toApiResponse(response);
  if (!isStreamed(head)) return head;
  let text = '';
  for await (const frame of head.body) {
    text += frame;
    break;
  }
  return { ...head, body: text };
}

/**
 * Reads a message; null if it is not I-JSON. It may be larger than the body of a request, so that one over that limit
 * gets the error of the API.
 *
 * @throws {ApiError} REQUEST_BODY_TOO_LARGE, REQUEST_TIMEOUT
 */
async function readMessage({ request }: AgentMessage, { model: { limits } }: AgentApi): Promise<Json> {
  const most = 2 * limits.body + ENVELOPE.bytes;
  const { body } = request;
  if (body === null) return null;
  if (body.length !== null && body.length > most) throw bodyTooLargeError(most);
  const bytes = await body.read(most);
  try {
    return readJson(bytes, { depth: limits.depth + ENVELOPE.depth, items: limits.items });
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** Makes the response to a message that the protocol does not read, as the protocol has it. */
function refuseMessage(status: number, code: number, message: string): ApiResponse {
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } });
  return { status, headers: ['Content-Type', 'application/json'], body };
}

async function toApiResponse(response: Response): Promise<ApiResponse> {
  const { status, body } = response;
  const headers = ['content-type', 'allow'].flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [name === 'allow' ? 'Allow' : 'Content-Type', value];
  });
  if (body === null) return { status, headers, body: null };
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!isStream) return { status, headers, body: await response.text() };
  return { status, headers: [...headers, 'X-Accel-Buffering', 'no'], body: decodeStream(body) };
}

async function* decodeStream(body: ReadableStream<Uint8Array>): BodyStream {
  const decoder = new TextDecoder();
  for await (const chunk of body) yield decoder.decode(chunk, { stream: true });
}
