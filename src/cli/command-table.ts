import type { CommandSpec } from './command-spec.ts';
import { adoptSpec } from './commands/adopt.ts';
import { asyncapiSpec } from './commands/asyncapi.ts';
import { checkSpec } from './commands/check.ts';
import { clientSpec } from './commands/client.ts';
import { completionSpec } from './commands/completion.ts';
import { copySpec } from './commands/copy.ts';
import { diffSpec } from './commands/diff.ts';
import { exportSpec } from './commands/export.ts';
import { relaySpec } from './commands/relay.ts';
import { relaysSpec } from './commands/relays.ts';
import { importSpec } from './commands/import.ts';
import { initSpec } from './commands/init.ts';
import { keySpec } from './commands/key.ts';
import { listenSpec } from './commands/listen.ts';
import { mcpSpec } from './commands/mcp.ts';
import { migrateSpec } from './commands/migrate.ts';
import { openapiSpec } from './commands/openapi.ts';
import { schemaSpec } from './commands/schema.ts';
import { serveSpec } from './commands/serve.ts';
import { tokenSpec } from './commands/token.ts';
import { versionsSpec } from './commands/versions.ts';

/** All commands, in the order of the help. */
export const COMMANDS: readonly CommandSpec[] = [
  serveSpec,
  mcpSpec,
  initSpec,
  checkSpec,
  diffSpec,
  versionsSpec,
  schemaSpec,
  openapiSpec,
  asyncapiSpec,
  clientSpec,
  importSpec,
  exportSpec,
  relaySpec,
  relaysSpec,
  copySpec,
  migrateSpec,
  adoptSpec,
  tokenSpec,
  keySpec,
  listenSpec,
  completionSpec(() => COMMANDS),
];
