import { ORIGIN_NAMES } from '../../conventions/url/origin-names.ts';
import { pathNextToBase } from '../../conventions/url/url.ts';
import type { ConsoleRule, Model } from '../../model/model.ts';

/** The name of the file that says what the console uses (OPS-10). */
export const CONFIG_NAME = 'config.json';

/** The facts of the server that the console needs, and no description has. */
export interface ConsoleFacts {
  /** True if `/metrics` is a path of the origin. */
  readonly servesMetrics: boolean;
  /** True if a person may paste a token or an API key, in place of signing in. */
  readonly acceptsPaste: boolean;
  /** The version of this package. */
  readonly release: string;
}

/**
 * Describes to the console the paths of an API, and the issuer where people sign in. It holds no secret.
 *
 * @example
 * ```json
 * { "api": "/api", "openapi": "/openapi.json", "ready": "/readyz", "metrics": null, "name": "shop", "title": "Shop",
 *   "issuer": null, "client_id": null, "scopes": [], "paste": true, "release": "0.2.0" }
 * ```
 */
export function writeConsoleConfig(model: Model, { servesMetrics, acceptsPaste, release }: ConsoleFacts): string {
  const { clientId = null, issuer = null, scopes = [] } = model.console ?? {};
  return JSON.stringify({
    api: model.basePath,
    openapi: pathNextToBase(model.basePath, ORIGIN_NAMES.openapi),
    ready: `/${ORIGIN_NAMES.ready}`,
    metrics: servesMetrics ? `/${ORIGIN_NAMES.metrics}` : null,
    name: model.name,
    title: model.title,
    issuer,
    client_id: clientId,
    scopes,
    paste: acceptsPaste || clientId === null,
    release,
  });
}

/** The directives of the policy that do not depend on the model. */
const POLICY: readonly string[] = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
];

/**
 * Writes the content security policy of the console: connections to its own origin, and that of the declared issuer
 * alone.
 */
export function writeConsolePolicy(rule: ConsoleRule | null): string {
  const issuer = rule === null || rule.issuer === null ? null : new URL(rule.issuer).origin;
  return [...POLICY, `connect-src 'self'${issuer === null ? '' : ` ${issuer}`}`].join('; ');
}
