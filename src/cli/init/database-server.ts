import type { ModelDraft } from '../../infer/model-draft.ts';
import { openPostgresCatalogue } from '../../stores/postgres/catalogue/postgres-catalogue.ts';
import { displayedUrl, parseDatabaseUrl, withoutPassword } from '../../stores/postgres/driver/database-url.ts';
import { namedDatabase } from '../database-settings.ts';
import type { EnvironmentVariables } from '../setting-value.ts';
import { quoteArgument } from '../terminal/command-line.ts';
import { draftOverTables, type TableFlags } from './draft-tables.ts';

/**
 * Drafts a model over the tables of a PostgreSQL database. Its last comment is the command that serves it.
 *
 * @param output the file of the model; `-` for standard output
 * @throws {CommandError} exit 2 for a URL that cannot be used, else as {@link draftOverTables}
 */
export async function draftFromServer(
  from: string,
  flags: TableFlags,
  output: string,
  env: EnvironmentVariables,
): Promise<ModelDraft> {
  const { database, databasePassword: password } = namedDatabase(
    { flag: '--from', database: from, driver: undefined, name: '' },
    env,
  );
  const title = withoutPassword(from);
  const source = {
    name: parseDatabaseUrl(database, password).database,
    title,
    location: displayedUrl(from),
    open: () => openPostgresCatalogue({ url: database, password }),
  };
  const draft = await draftOverTables(source, flags);
  const file = output === '-' ? 'FILE' : quoteArgument(output);
  const notes = [
    `Serve it: restwright serve ${file} --database ${quoteArgument(title)}`,
    ...(title === from ? [] : ['with its password in the environment variable RESTWRIGHT_DATABASE_PASSWORD.']),
    'With --read-only nothing is written or created, and a role with SELECT is enough.',
  ];
  return { ...draft, notes: [...draft.notes, ...notes] };
}
