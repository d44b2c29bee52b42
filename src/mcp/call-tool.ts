import { ApiError, apiError } from '../conventions/errors.ts';
import type { JsonObject } from '../conventions/json/json.ts';
import type { QueryPairs } from '../conventions/url/query.ts';
import { describeCollection } from '../describe/agents/describe-collection.ts';
import { listCollections } from '../describe/agents/list-collections.ts';
import { writeJson } from '../formats/json.ts';
import { checkArguments, isDryRun, readMembers, readTextArgument, writeDryQuery } from './arguments.ts';
import { runBatchTool } from './batch-tool.ts';
import { findCollection, type NamedCollection, writeItemPath } from './collections.ts';
import { matchRequired, nameRequest, readMatch, requireConfirmation, requireKey } from './guards.ts';
import { writePageQuery, writeViewQuery } from './query-arguments.ts';
import { type AgentName, type AgentSession, type ApiAnswer, bodyMembers } from './session.ts';
import { dataResult, errorResult, type ToolResult, writeResult } from './tool-result.ts';
import type { Tool } from './tools.ts';

/** A call of a tool: its arguments, the way to the API, and who calls. */
interface ToolCall {
  readonly given: JsonObject;
  readonly session: AgentSession;
  readonly agent: AgentName;
}

/** Longest query of a GET: a longer one is sent as the form of a QUERY (MET-9). */
const LONG_QUERY = 4_096;

/** Calls a tool. Errors are results too, with the six members of the API (OPS-8). */
export async function callTool(tool: Tool, call: ToolCall): Promise<ToolResult> {
  try {
    if (tool.writes && call.session.api.mode !== 'write') throw readOnly(tool);
    checkArguments(tool, call.given);
    return await run(tool, call);
  } catch (error) {
    if (error instanceof ApiError) return errorResult(call.session.refuse(error, call.agent));
    throw error;
  }
}

function run({ name }: Tool, call: ToolCall): ToolResult | Promise<ToolResult> {
  const { model } = call.session.api;
  switch (name) {
    case 'list_collections':
      return dataResult(writeJson(listCollections(model)));
    case 'describe':
      return dataResult(writeJson(describeCollection(model, findNamed(call).resource)));
    case 'query':
      return queryRows(call);
    case 'get':
      return getRow(call);
    case 'create':
      return createRow(call);
    case 'update':
      return updateRow(call);
    case 'delete':
      return deleteRow(call);
    case 'batch':
      return runBatchTool(call.session, call.given, call.agent);
  }
}

function readOnly({ name }: Tool): ApiError {
  const message = `This server is read-only for agents, so ${name} is not available; the user can start it with --mcp write.`;
  return apiError('REQUEST_METHOD_NOT_ALLOWED', message);
}

function findNamed({ given, session }: ToolCall): NamedCollection {
  return findCollection(session.api.model, readTextArgument(given, 'collection') ?? '');
}

function itemPath(call: ToolCall): string {
  return writeItemPath(findNamed(call), readTextArgument(call.given, 'id') ?? '');
}

async function queryRows(call: ToolCall): Promise<ToolResult> {
  const { given, session, agent } = call;
  const { path } = findNamed(call);
  const query = writePageQuery(given, session.api.model.limits.page.default);
  const answer = await session.send(listCall(path, query), agent);
  if (answer.status >= 400) return errorResult(answer);
  const { data = null, page = null } = bodyMembers(answer);
  return dataResult(writeJson(data), { page });
}

function listCall(path: string, query: QueryPairs): Parameters<AgentSession['send']>[0] {
  const form = query.flatMap(([name, value]) => [name, ...[value].flat()]);
  const isLong = form.reduce((sum, text) => sum + 3 * text.length, 0) > LONG_QUERY;
  return isLong ? { method: 'QUERY', path, form: query } : { method: 'GET', path, query };
}

async function getRow(call: ToolCall): Promise<ToolResult> {
  const { given, session, agent } = call;
  const answer = await session.send({ method: 'GET', path: itemPath(call), query: writeViewQuery(given) }, agent);
  return answer.status >= 400 ? errorResult(answer) : dataResult(answer.text);
}

async function createRow(call: ToolCall): Promise<ToolResult> {
  const { given, session, agent } = call;
  const { path } = findNamed(call);
  const isDry = isDryRun(given);
  const headers = isDry ? [] : ['Idempotency-Key', requireKey(given)];
  const body = readMembers(given, 'data');
  const answer = await session.send({ method: 'POST', path, query: writeDryQuery(given), headers, body }, agent);
  return writeResult(answer, isDry);
}

async function updateRow(call: ToolCall): Promise<ToolResult> {
  const { given, session, agent } = call;
  const path = itemPath(call);
  const match = readMatch(given['if_match'], 'if_match');
  if (match === null) return matchMissing(call, path);
  const key = readTextArgument(given, 'idempotency_key');
  const isDry = isDryRun(given);
  const keyed = key === null || isDry ? [] : ['Idempotency-Key', key];
  const answer = await session.send(
    {
      method: 'PATCH',
      path,
      query: writeDryQuery(given),
      headers: ['If-Match', match, ...keyed],
      body: readMembers(given, 'data'),
      contentType: 'application/merge-patch+json',
    },
    agent,
  );
  return answer.status === 412 ? errorResult(answer, await readCurrent(call, path)) : writeResult(answer, isDry);
}

async function deleteRow(call: ToolCall): Promise<ToolResult> {
  const { given, session, agent } = call;
  const path = itemPath(call);
  const match = readMatch(given['if_match'], 'if_match');
  if (match === null) return matchMissing(call, path);
  const confirm = session.api.confirm(nameRequest(['delete', path, match]));
  const isDry = isDryRun(given);
  if (!isDry) requireConfirmation(given, confirm);
  const answer = await session.send(
    { method: 'DELETE', path, query: writeDryQuery(given), headers: ['If-Match', match] },
    agent,
  );
  if (answer.status === 412) return errorResult(answer, await readCurrent(call, path));
  if (isDry || answer.status >= 400) return writeResult(answer, isDry, confirm);
  return dataResult(answer.text, { deleted: true });
}

/** Responds to a write without `if_match`: the error, with the row as it is. A row that is hidden is not shown. */
async function matchMissing(call: ToolCall, path: string): Promise<ToolResult> {
  const { session, agent } = call;
  const read = await session.send({ method: 'GET', path }, agent);
  if (read.status >= 400) return errorResult(read);
  return errorResult(session.refuse(matchRequired('if_match'), agent), describeCurrent(read));
}

async function readCurrent({ session, agent }: ToolCall, path: string): Promise<JsonObject> {
  const read = await session.send({ method: 'GET', path }, agent);
  return read.status >= 400 ? {} : describeCurrent(read);
}

function describeCurrent(read: ApiAnswer): JsonObject {
  const { revision = null } = bodyMembers(read);
  return { current: { if_match: revision, etag: read.fields.get('etag'), data: read.readBody() } };
}
