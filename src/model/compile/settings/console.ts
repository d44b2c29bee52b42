import type { AuthRules } from '../../auth-rules.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import type { ConsoleRule } from '../../model.ts';
import { readObject, readString, readStrings } from '../../values/access.ts';

/** Compiles `console`, and reports a client of no issuer where people could sign in. Null where none is declared. */
export function compileConsole(
  { declared, path, report }: CompileContext,
  auth: Pick<AuthRules, 'issuers'> | null,
): ConsoleRule | null {
  if (declared['console'] === undefined || declared['console'] === false) return null;
  const rule = readObject(declared['console']);
  const clientId = readString(rule['client_id']);
  const name = readString(rule['issuer']);
  const issuers = auth?.issuers ?? [];
  const found = name === null && issuers.length === 1 ? issuers[0] : issuers.find((each) => each.name === name);
  if (clientId !== null && found === undefined) {
    const names = issuers.map((each) => each.name).join(', ');
    const fix = issuers.length === 0 ? 'declare auth.issuers, or remove it' : `set console.issuer to one of ${names}`;
    report([...path, 'console', name === null ? 'client_id' : 'issuer'], 'people could sign in at no issuer', fix);
  }
  const issuer = clientId === null ? null : (found?.issuer ?? null);
  return { clientId, issuer, scopes: readStrings(rule['scopes']) };
}
