import { listedHosts } from '../conventions/url/host.ts';
import { segmentsBelow, segmentsOfTarget } from '../conventions/url/url.ts';
import { listOriginRoutes } from '../plan/routes/origin-routes.ts';
import type { Limits } from '../model/model.ts';
import type { Handler, RawRequest } from '../exchange/handler.ts';
import { weakMemoize } from '../cache/memoize.ts';

/** An API that is mounted in a server or framework. */
export interface MountedApi extends Handler {
  /** Called by each mount in a host application. */
  onMount?(): void;
  /** True if the API serves `/metrics`. Default: false. */
  readonly servesMetrics?: boolean;
  /** The names of the files of the console; null where it is not served. Default: null. */
  readonly consoleFiles?: readonly string[] | null;
  readonly model: {
    readonly basePath: string;
    readonly limits: Limits;
    readonly auth?: { readonly resource: string | null } | null;
  };
}

/**
 * The options of a mount in a host application.
 *
 * @example
 * ```ts
 * createListener(api, { hosts: ['api.example.com'], cors: false });
 * ```
 */
export interface MountOptions {
  /**
   * The values of `Host` that are accepted (AUTH-7): `api.example.com` for any port, `api.example.com:8080` for one.
   * Default: every one, for the application decides which names it answers to.
   */
  readonly hosts?: readonly string[];
  /**
   * True if responses have the CORS fields that the model declares. Default: true. Set it to false where the host
   * application sends its own and cannot replace those of the API, such as `hono/cors`.
   */
  readonly cors?: boolean;
}

/** The properties of every request that comes by one mount. */
type MountRules = Required<Pick<RawRequest, 'hosts' | 'cors'>>;

/** Mounts an API: what its requests have in common. @throws {RangeError} `hosts` lists what is not a host */
export function mountApi(api: MountedApi, { hosts, cors = true }: MountOptions): MountRules {
  const rule = hosts === undefined ? 'any' : listedHosts(hosts);
  api.onMount?.();
  return { hosts: rule, cors };
}

/**
 * Lists the paths outside of the base path that a mount serves. Health checks and metrics are at the origin (OPS-2),
 * and the metadata of its resource at their well-known path (AUTH-8). Descriptions are next to the base path (OPS-1).
 * An application with several APIs thus has those of each. `/` belongs to the application.
 */
export function pathsOutsideBase({ servesMetrics = false, consoleFiles = null, model }: MountedApi): readonly string[] {
  const routes = listOriginRoutes({ model, servesMetrics, consoleFiles }).filter(([kind]) => kind !== 'home');
  return routes.flatMap(([kind, paths]) => (kind === 'console' ? paths : paths.slice(-1)));
}

/**
 * Returns true if a request target belongs to the API, however it is encoded. Its base path does, the paths below it,
 * and those next to it and at the origin.
 */
export function owns(api: MountedApi, target: string): boolean {
  const segments = segmentsOfTarget(target);
  return segmentsBelow(segments, baseOf(api.model)) !== null || outsideOf(api).has(segments.join('/'));
}

/** The decoded paths outside of the base path, without the first slash. */
const outsideOf = weakMemoize(
  (api: MountedApi) => new Set(pathsOutsideBase(api).map((path) => segmentsOfTarget(path).join('/'))),
);

/** The decoded segments of a base path. Every request of the app is compared with them, hence memoized. */
const baseOf = weakMemoize(({ basePath }: MountedApi['model']) => segmentsOfTarget(basePath));
