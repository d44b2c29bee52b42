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
 * @throws {Error} if the server has none, or does not answer
 */
export async function loadConfig(): Promise<ConsoleConfig> {
  const response = await fetch(CONFIG, { cache: 'no-cache' });
  if (!response.ok) throw new Error(`${CONFIG}: ${response.status}`);
  const config: ConsoleConfig = await response.json();
  return config;
}
