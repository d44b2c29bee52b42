import path from 'node:path';
import { isCallerName } from '../../auth/claims.ts';
import { signToken } from '../../auth/signature.ts';
import type { JsonObject } from '../../conventions/json/json.ts';
import type { Issuer, Model } from '../../model/model.ts';
import { parseDuration } from '../../model/values/parse-units.ts';
import { writeResourceUrl } from '../../plan/routes/protected-resource.ts';
import { systemClock } from '../../platform/clock.ts';
import { createRandom } from '../../platform/random.ts';
import { type ExitCode, usageError } from '../command-error.ts';
import { type CommandSpec, MODEL_ARGUMENT } from '../command-spec.ts';
import { findModel } from '../model-file/find-model.ts';
import { requireModel } from '../model-file/read-model.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type DevelopmentKey, JWKS_FILE, KEY_FILE, openDevelopmentKey } from '../token/development-key.ts';

interface TokenFlags {
  readonly sub?: string;
  readonly scope?: string;
  readonly client?: string;
  readonly expires?: string;
}

/** The claims of a token about its issuer. */
type SigningRule = Pick<Issuer, 'issuer' | 'audiences' | 'scopeClaims' | 'clientClaim'>;

const DEFAULT_LIFETIME = '1h';

/**
 * Signs a development token by a key pair in the folder of the model, which is made first where there is none. The
 * token is all that standard output gets; how the model trusts the key is printed on standard error while it does not.
 */
async function token(file: string, flags: TokenFlags, { env, stdout, stderr }: Terminal): Promise<ExitCode> {
  const { sub, client } = flags;
  if (sub === undefined) throw usageError('Missing --sub. Pass the subject of the token, for example --sub ann.');
  for (const [flag, name] of Object.entries({ '--sub': sub, '--client': client }))
    if (name !== undefined && !isCallerName(name))
      throw usageError(`${flag}: use 1 to 255 characters, and no control characters.`);
  const lifetime = parseLifetime(flags.expires ?? DEFAULT_LIFETIME);
  const { model } = await requireModel(file, env);
  const folder = path.dirname(file);
  const key = await openDevelopmentKey(folder);
  if (key.isNew) stderr.write(`created ${KEY_FILE} (secret: do not commit it) and ${JWKS_FILE}\n`);
  const trusted = trustedAs(model, folder, key);
  if (trusted === undefined) stderr.write(trustLines(model));
  const claims = composeClaims({ ...flags, sub }, lifetime, trusted ?? developmentRule(model));
  stdout.write(`${await signToken(claims, key.privateKey)}\n`);
  return 0;
}

/** Seconds. @throws {CommandError} exit 2 */
function parseLifetime(expires: string): number {
  const seconds = Math.floor((parseDuration(expires) ?? 0) / 1_000);
  if (seconds > 0) return seconds;
  throw usageError(`--expires: '${expires}' is not a valid duration; use one of a second or more, such as 30m or 8h.`);
}

/** The issuer of a model that has the key. */
function trustedAs({ auth }: Model, folder: string, { publicKey }: DevelopmentKey): SigningRule | undefined {
  const keyFile = path.resolve(folder, JWKS_FILE);
  return auth?.issuers.find(({ keys }) => {
    if (keys.kind === 'file') return path.resolve(folder, keys.path) === keyFile;
    return keys.kind === 'inline' && keys.keys.some(({ x, y }) => x === publicKey['x'] && y === publicKey['y']);
  });
}

function developmentRule(model: Model): SigningRule {
  return {
    issuer: 'urn:restwright:dev',
    audiences: [writeResourceUrl(model, model.publicUrl) ?? model.name],
    scopeClaims: ['scope'],
    clientClaim: 'client_id',
  };
}

function trustLines(model: Model): string {
  const { issuer, audiences } = developmentRule(model);
  const declared = `{ name: dev, issuer: '${issuer}', audience: '${audiences[0]}', jwks_file: ${JWKS_FILE} }`;
  const part = model.auth === null ? '' : model.auth.issuers.length === 0 ? 'the last two of ' : 'the last one of ';
  return `The model does not accept this token yet. Add ${part}these lines to it, for development only:\n\nauth:\n  issuers:\n    - ${declared}\n\n`;
}

function composeClaims(
  { sub, scope, client }: TokenFlags & { readonly sub: string },
  lifetime: number,
  { issuer, audiences, scopeClaims, clientClaim }: SigningRule,
): JsonObject {
  const iat = Math.floor(systemClock.now() / 1_000);
  return {
    iss: issuer,
    aud: audiences[0] ?? '',
    sub,
    ...(client === undefined ? {} : { [clientClaim]: client }),
    ...(scope === undefined ? {} : { [scopeClaims[0] ?? 'scope']: scope }),
    iat,
    exp: iat + lifetime,
    jti: createRandom().hex(16),
  };
}

export const tokenSpec: CommandSpec = {
  name: 'token',
  group: 'Callers:',
  summary: 'sign a development token',
  description:
    'Signs a bearer token for development with a key pair in the folder of the model. The first run creates the key pair, and prints the lines to add to the model so that it accepts the tokens.',
  arguments: [MODEL_ARGUMENT],
  options: [
    { name: 'sub', value: { name: 'subject', completes: 'none' }, description: 'subject of the token; required' },
    {
      name: 'scope',
      value: { name: 'scopes', completes: 'none' },
      description: 'scopes of the token, separated by spaces: "products:read products:write"',
    },
    {
      name: 'client',
      value: { name: 'id', completes: 'none' },
      description: 'id of the client that acts for the subject',
    },
    {
      name: 'expires',
      value: { name: 'duration', completes: 'none' },
      description: `lifetime of the token, such as 30m or 8h (default: ${DEFAULT_LIFETIME})`,
    },
  ],
  notes: `Examples:
  restwright token shop.yaml --sub ann --scope "products:read products:write"
  curl -H "Authorization: Bearer $(restwright token --sub ann)" http://127.0.0.1:3000/api/v1/products

The private key is in ${KEY_FILE}, the public key in
${JWKS_FILE}.
`,
  run: ([model = findModel()], flags: TokenFlags, terminal) => token(model, flags, terminal),
};
