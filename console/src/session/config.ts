/** What the server says about itself: `config.json`, read relative to the page. */
export interface ConsoleConfig {
  /** The root of the API: `/api`. */
  readonly api: string;
  /** The prefix of `/openapi.json`, `/readyz` and `/metrics`. */
  readonly origin_path: string;
  readonly title: string;
  readonly name: string;
  readonly issuer: string | null;
  readonly client_id: string | null;
  readonly scopes: readonly string[] | null;
  /** True if a token may be pasted. */
  readonly dev: boolean;
  readonly version: string;
}

/**
 * Reads the configuration.
 *
 * @throws {Error} if the server has none, or does not answer
 */
export async function loadConfig(): Promise<ConsoleConfig> {
  const response = await fetch('config.json', { cache: 'no-cache' });
  if (!response.ok) throw new Error(`config.json: ${response.status}`);
  const config: ConsoleConfig = await response.json();
  return config;
}
