import { UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import { connectPostgres, type PostgresConnection, type SessionSettings } from '../driver/pg.ts';
import { ConnectionLost, PostgresDriverMissing } from '../driver/postgres-errors.ts';
import { isWithoutTls } from '../driver/tls.ts';
import { displayedUrl, parseDatabaseUrl } from '../driver/database-url.ts';
import { POOLER_ADVICE, requireOwnSessions } from './pooler.ts';

/** A database, and the password for it, which takes the place of one in the URL. */
export interface DatabaseAccess {
  readonly url: string;
  readonly password?: string | undefined;
}

/**
 * Opens a session for a command, or for a start.
 *
 * @throws {UnusableDatabase} with the cause, and what to do about it, where it cannot be opened
 * @throws {InvalidDatabaseUrl} {PostgresDriverMissing}
 */
export async function openSession(
  { url: text, password }: DatabaseAccess,
  settings: SessionSettings,
): Promise<PostgresConnection> {
  const url = parseDatabaseUrl(text, password);
  try {
    if (url.pooler !== null) await requireOwnSessions(url);
    return await connectPostgres(url, settings);
  } catch (error) {
    if (error instanceof PostgresDriverMissing) throw error;
    if (error instanceof UnusableDatabase)
      throw new UnusableDatabase(`${displayedUrl(text)} cannot be used. ${error.message}`, { cause: error });
    const cause = error instanceof ConnectionLost ? error.cause : error;
    const problem = connectionProblem(cause, url.host);
    throw new UnusableDatabase(`${displayedUrl(text)} cannot be opened: ${problem}.`, { cause: error });
  }
}

const UNKNOWN_AUTHORITY =
  'its certificate is not of a known CA. Name the file with the certificates of its CA: sslrootcert=FILE';

/** Explanations of the errors of certificates, for the author of the URL. */
const CERTIFICATE_PROBLEMS: Readonly<Record<string, string>> = {
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  CERT_SIGNATURE_FAILURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: 'its certificate has expired. Renew it on the server',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet. Compare the clocks of both machines',
};

/** Advice that messages of the server and of the driver leave out. */
const ADVICE: readonly (readonly [message: RegExp, advice: string])[] = [
  [/unsupported startup parameter/, POOLER_ADVICE],
  [/ECONNREFUSED|ENOENT/, 'Start PostgreSQL there, or correct the host and the port in the URL'],
  [/ENOTFOUND|EAI_AGAIN/, 'Correct the host in the URL, or the name service of this machine'],
  [/no encryption$/, 'Add sslmode=require to the URL, or sslmode=verify-full with sslrootcert=FILE'],
  [/valid client certificate/, 'Add sslcert=FILE and sslkey=FILE to the URL'],
  [
    /client password must be a/,
    'The server requires a password: name its file with RESTWRIGHT_DATABASE_PASSWORD_FILE, or with passfile=FILE in the URL',
  ],
];

/** Explains a failed connection, with the fix where it is known. */
function connectionProblem(error: unknown, host: string): string {
  if (error instanceof AggregateError && error.message === '') return connectionProblem(error.errors[0], host);
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  const { message } = error;
  if (isWithoutTls(error)) return 'it does not encrypt. Turn on ssl in the server, or add sslmode=disable to the URL';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `its certificate is not for ${host}. Connect by a name of the certificate, or add sslmode=verify-ca to the URL, which accepts any name (${message})`;
  const advice = ADVICE.find(([pattern]) => pattern.test(message))?.[1];
  return CERTIFICATE_PROBLEMS[code] ?? (advice === undefined ? message : `${message}. ${advice}`);
}
