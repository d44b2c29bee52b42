import type { JsonObject } from '../conventions/json/json.ts';

/** The access of agents: to reads alone, or to writes too. */
export type AgentMode = 'read' | 'write';

/** The modes, the default first. */
export const AGENT_MODES: readonly AgentMode[] = ['read', 'write'];

/** The type of an argument. `text` is one text, or a list of texts that is joined by commas. */
export type ArgumentType = 'string' | 'text' | 'id' | 'match' | 'integer' | 'boolean' | 'object' | 'array';

/** The arguments of a tool by name. */
type Arguments = Readonly<Record<string, ArgumentType>>;

/** A tool: its arguments are checked by the table that its schema is written from. */
export interface Tool {
  readonly name: ToolName;
  /** Part of each prompt, so it is short. */
  readonly description: string;
  readonly inputs: Arguments;
  /** Further arguments, which `describe` and the guide name. */
  readonly unlisted?: Arguments;
  readonly required: readonly string[];
  readonly annotations: JsonObject;
  readonly writes: boolean;
}

export type ToolName = 'list_collections' | 'describe' | 'query' | 'get' | 'create' | 'update' | 'delete' | 'batch';

const READ: Pick<Tool, 'annotations' | 'writes'> = { annotations: { readOnlyHint: true }, writes: false };

const EXPAND: Arguments = { expand: 'text' };
const ITEM: Arguments = { collection: 'string', id: 'id' };

/**
 * All tools. None is of one collection: clients send the whole list with each prompt. `update`, `delete`, `create` and
 * `batch` name the arguments that guard them as required ones, though a dry run needs no key.
 */
export const TOOLS: readonly Tool[] = [
  { name: 'list_collections', description: 'List collections.', inputs: {}, required: [], ...READ },
  {
    name: 'describe',
    description: 'Fields, filters, states, errors.',
    inputs: { collection: 'string' },
    required: ['collection'],
    ...READ,
  },
  {
    name: 'query',
    description: 'A page of rows. cursor: page.next_cursor.',
    inputs: {
      collection: 'string',
      filters: 'object',
      sort: 'text',
      fields: 'text',
      limit: 'integer',
      cursor: 'string',
    },
    unlisted: EXPAND,
    required: ['collection'],
    ...READ,
  },
  {
    name: 'get',
    description: 'One row.',
    inputs: ITEM,
    unlisted: { fields: 'text', ...EXPAND },
    required: ['collection', 'id'],
    ...READ,
  },
  {
    name: 'create',
    description: 'Create a row. Retry with the same key.',
    inputs: { collection: 'string', data: 'object', idempotency_key: 'string', dry_run: 'boolean' },
    required: ['collection', 'data', 'idempotency_key'],
    annotations: { destructiveHint: false, idempotentHint: true },
    writes: true,
  },
  {
    name: 'update',
    description: 'Change fields. if_match: its revision.',
    inputs: { ...ITEM, data: 'object', if_match: 'match', dry_run: 'boolean' },
    unlisted: { idempotency_key: 'string' },
    required: ['collection', 'id', 'data', 'if_match'],
    annotations: { idempotentHint: true },
    writes: true,
  },
  {
    name: 'delete',
    description: 'Delete a row. confirm: from dry_run.',
    inputs: { ...ITEM, if_match: 'match', dry_run: 'boolean', confirm: 'string' },
    required: ['collection', 'id', 'if_match'],
    annotations: { idempotentHint: true },
    writes: true,
  },
  {
    name: 'batch',
    description: 'Run operations {method, path, body, if_match}.',
    inputs: { operations: 'array', idempotency_key: 'string', dry_run: 'boolean', confirm: 'string' },
    unlisted: { atomic: 'boolean' },
    required: ['operations', 'idempotency_key'],
    annotations: { idempotentHint: true },
    writes: true,
  },
];

/** The tools of a mode. */
export function listTools(mode: AgentMode): readonly Tool[] {
  return TOOLS.filter(({ writes }) => mode === 'write' || !writes);
}

/** A tool as the protocol lists it. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly [member: string]: JsonObject[string] };
  readonly outputSchema: { readonly type: 'object'; readonly [member: string]: JsonObject[string] };
  readonly annotations: JsonObject;
}

const SCHEMAS: Readonly<Record<ArgumentType, JsonObject>> = {
  string: { type: 'string' },
  text: { type: 'string' },
  id: {},
  match: {},
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  object: { type: 'object' },
  array: { type: 'array' },
};

/** Declares a tool. */
export function declareTool({ name, description, inputs, required, annotations }: Tool): ToolDeclaration {
  const properties = Object.fromEntries(Object.entries(inputs).map(([input, type]) => [input, SCHEMAS[type]]));
  const fields = required.length === 0 ? {} : { properties, required };
  return {
    name,
    description,
    inputSchema: { type: 'object', ...fields },
    outputSchema: { type: 'object' },
    annotations,
  };
}
