import { webhookKey } from '../../conventions/events/webhook-signature.ts';
import { usageError } from '../command-error.ts';
import {
  type EnvironmentVariables,
  readSettingFile,
  type SettingSource,
  settingValue,
  type SettingValue,
} from '../setting-value.ts';
import { parseHost, parsePort } from '../settings.ts';

/** Flags of `listen`, as given on the command line. */
export interface ListenFlags {
  readonly port?: string;
  readonly host?: string;
  readonly secret?: string;
  readonly secretFile?: string;
  readonly status?: string;
  readonly json?: boolean;
}

export interface ListenSettings {
  /** 0 lets the operating system choose one. */
  readonly port: number;
  readonly host: string;
  /** The secrets of the webhook, two during a rotation; empty where signatures are not verified. */
  readonly secrets: readonly string[];
  /** The statuses for the attempts of an event, in order; the last one is for all further attempts. */
  readonly statuses: readonly number[];
  readonly json: boolean;
}

const PORT: SettingSource = { flag: '--port', variable: 'RESTWRIGHT_WEBHOOK_PORT', fallback: '8080' };
const HOST: SettingSource = { flag: '--host', variable: 'RESTWRIGHT_WEBHOOK_HOST', fallback: '127.0.0.1' };
const SECRET: SettingSource = { flag: '--secret', variable: 'RESTWRIGHT_WEBHOOK_SECRET', fallback: '' };
const SECRET_FILE: SettingSource = { flag: '--secret-file', variable: 'RESTWRIGHT_WEBHOOK_SECRET_FILE', fallback: '' };

/** The status of a receiver that has nothing to say. */
const DEFAULT_STATUS = '204';

/**
 * Reads the settings of `listen`.
 *
 * @throws {CommandError} exit 2 for an invalid value
 */
export function listenSettings(flags: ListenFlags, env: EnvironmentVariables): ListenSettings {
  return {
    port: parsePort(settingValue(PORT, flags.port, env)),
    host: parseHost(settingValue(HOST, flags.host, env)),
    secrets: readSecrets(flags, env),
    statuses: parseStatuses(flags.status ?? DEFAULT_STATUS),
    json: flags.json ?? false,
  };
}

/** Options take precedence over variables, also over the variable of the other option. */
function readSecrets({ secret, secretFile }: ListenFlags, env: EnvironmentVariables): readonly string[] {
  if (secret !== undefined && secretFile !== undefined)
    throw usageError('--secret and --secret-file cannot be combined; pass one of them.');
  if (secret !== undefined) return parseSecrets({ text: secret, origin: SECRET.flag });
  const file = settingValue(SECRET_FILE, secretFile, env);
  const value = settingValue(SECRET, undefined, env);
  if (secretFile === undefined && value.text !== '') return parseSecrets(value);
  return file.text === '' ? [] : parseSecrets({ text: readSettingFile(file), origin: file.origin });
}

/** Splits at white space. The message does not repeat a secret. */
function parseSecrets({ text, origin }: SettingValue): readonly string[] {
  const secrets = text.split(/\s+/).filter((each) => each !== '');
  if (secrets.length > 0 && secrets.every((each) => webhookKey(each) !== null)) return secrets;
  throw usageError(
    `${origin}: this is not the secret of a webhook; use whsec_... from the response to POST /webhooks, during a rotation both, separated by a space.`,
  );
}

function parseStatuses(text: string): readonly number[] {
  const statuses = text.split(',').map((each) => (/^[2-5][0-9]{2}$/.test(each) ? Number(each) : Number.NaN));
  if (statuses.every((each) => !Number.isNaN(each))) return statuses;
  throw usageError(
    `--status: '${text}' is not a valid status; use one from 200 to 599, or one for each attempt, such as 503,503,204.`,
  );
}
