import { asRecord, asText, asTexts } from '../schema/json-access.ts';
import { texts } from '../texts.ts';

/** The server about itself: `config.json`, read relative to the page. */
export interface ConsoleConfig {
  /** The root of the API: `/api`. */
  readonly api: string;
  /** The path of the description. */
  readonly openapi: string;
  /** The path that says if the server is ready. */
  readonly ready: string;
  /** The path of the metrics; null if they are not served here. */
  readonly metrics: string | null;
  readonly name: string;
  readonly title: string;
  readonly issuer: string | null;
  readonly client_id: string | null;
  readonly scopes: readonly string[];
  /** True if a token or an API key may be pasted. */
  readonly paste: boolean;
  /** The release of the server. */
  readonly release: string;
}

/** Lies next to the page `/console`. */
const CONFIG = 'console/config.json';

/**
 * Reads the configuration.
 *
 * @throws {Error} if the server has none, does not answer, or has sent something else
 */
export async function loadConfig(): Promise<ConsoleConfig> {
  const response = await fetch(CONFIG, { cache: 'no-cache' });
  if (!response.ok) throw new Error(`${CONFIG}: ${response.status}`);
  return parseConfig(await response.json().catch(() => null));
}

/**
 * Checks a configuration.
 *
 * @throws {Error} for JSON that is none, such as that of another server at this address
 */
export function parseConfig(json: unknown): ConsoleConfig {
  const read = asRecord(json);
  const wrong = [
    ...['api', 'openapi', 'ready', 'name', 'title', 'release'].filter((name) => typeof read[name] !== 'string'),
    ...['metrics', 'issuer', 'client_id'].filter((name) => read[name] !== null && typeof read[name] !== 'string'),
    ...(typeof read['paste'] === 'boolean' ? [] : ['paste']),
    ...(Array.isArray(read['scopes']) ? [] : ['scopes']),
  ];
  if (wrong.length > 0) throw new Error(texts.wrongConfig(CONFIG, wrong.join(', ')));
  const text = (name: string): string => asText(read[name]) ?? '';
  return {
    api: text('api'),
    openapi: text('openapi'),
    ready: text('ready'),
    metrics: asText(read['metrics']),
    name: text('name'),
    title: text('title'),
    issuer: asText(read['issuer']),
    client_id: asText(read['client_id']),
    scopes: asTexts(read['scopes']),
    paste: read['paste'] === true,
    release: text('release'),
  };
}
