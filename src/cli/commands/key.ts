import { apiKey } from '../../auth/api-keys.ts';
import type { Json } from '../../conventions/json/json.ts';
import type { RowImportError } from '../../operations/write/import.ts';
import { secretDigest } from '../../platform/digest.ts';
import { createRandom } from '../../platform/random.ts';
import { commandFailed, type ExitCode, usageError } from '../command-error.ts';
import { type CommandSpec, DATABASE_OPTIONS, MODEL_ARGUMENT } from '../command-spec.ts';
import { findModel } from '../model-file/find-model.ts';
import { requireModel } from '../model-file/read-model.ts';
import { openWithoutServer } from '../open-database.ts';
import { type DatabaseFlags, databaseLocation, usedDatabase } from '../database-settings.ts';
import type { Terminal } from '../terminal/terminal.ts';

interface KeyFlags extends DatabaseFlags {
  readonly subject?: string;
  readonly scope?: string;
  readonly name?: string;
}

/**
 * Makes an API key and prints it, once: the first one, which no caller could create (AUTH-8).
 *
 * @throws {CommandError} exit 2 without a subject or scopes; exit 1 for a model without `auth.api_keys`
 */
async function key(file: string, flags: KeyFlags, terminal: Terminal): Promise<ExitCode> {
  const { subject, scope = '', name = 'restwright key' } = flags;
  const scopes = [...new Set(scope.split(' ').filter((each) => each !== ''))];
  if (subject === undefined)
    throw usageError('Missing --subject. Pass the subject of the key, for example --subject import.');
  if (scopes.length === 0)
    throw usageError('Missing --scope. Pass the scopes of the key, for example --scope "products:read".');
  const { model } = await requireModel(file, terminal.env);
  const collection = model.auth?.apiKeys ?? null;
  if (collection === null) throw commandFailed(`${file} does not accept API keys; add auth: { api_keys: true } to it.`);
  const location = databaseLocation(flags, terminal.env);
  const used = { ...usedDatabase(location, model.name), modelFile: file };
  const { api, store } = await openWithoutServer(model, used, terminal);
  try {
    const made = apiKey(createRandom().hex(32));
    const row: Json = { name, subject, scopes, prefix: made.prefix, key: secretDigest(made.key) };
    const outcome = await api.importRows(collection, [row]);
    if (outcome.kind === 'refused') throw usageError(describeRefusal(outcome.errors));
    terminal.stdout.write(`${made.key}\n`);
    return 0;
  } finally {
    await store.close();
  }
}

function describeRefusal(errors: readonly RowImportError[]): string {
  return errors.flatMap(({ details }) => details.map(({ field, message }) => `${field} ${message}`)).join('; ');
}

export const keySpec: CommandSpec = {
  name: 'key',
  group: 'Callers:',
  summary: 'create an API key',
  description:
    'Creates an API key and prints it. The key cannot be shown again, because the database stores only its SHA-256 hash.',
  arguments: [MODEL_ARGUMENT],
  options: [
    { name: 'subject', value: { name: 'subject', completes: 'none' }, description: 'subject of the key; required' },
    {
      name: 'scope',
      value: { name: 'scopes', completes: 'none' },
      description: 'scopes of the key, separated by spaces: "products:read api-keys:write"; required',
    },
    { name: 'name', value: { name: 'text', completes: 'none' }, description: 'name of the key' },
    ...DATABASE_OPTIONS,
  ],
  notes: `A caller with the scope api-keys:write can create more keys with POST /api-keys.

Examples:
  restwright key shop.yaml --subject admin --scope "api-keys:read api-keys:write products:read"
`,
  run: ([model = findModel()], flags: KeyFlags, terminal) => key(model, flags, terminal),
};
