/** What an entry of a password file is for. */
export interface PasswordTarget {
  /** A name or an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/**
 * The password that a file has for a database, in the format of libpq's `.pgpass`: lines of `host:port:database:user:password`, of which the first that
 * matches decides. A field may be `*`; a backslash escapes a colon or a backslash. A socket also has the host `localhost`.
 *
 * @returns null where no line matches
 */
export function passwordFor({ host, port, database, user }: PasswordTarget, text: string): string | null {
  const hosts = host.startsWith('/') ? [host, 'localhost'] : [host];
  const wanted = [hosts, [String(port)], [database], [user]];
  for (const line of text.split(/\r?\n/)) {
    if (line === '' || line.startsWith('#')) continue;
    const fields = fieldsOf(line);
    const password = fields[wanted.length];
    const isFor = wanted.every((values, at) => fields[at] === '*' || values.includes(fields[at] ?? ''));
    if (isFor && password !== undefined) return password;
  }
  return null;
}

function fieldsOf(line: string): readonly string[] {
  return [...line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g)].map(([, field = '']) => field.replaceAll(/\\(.)/g, '$1'));
}
