import { isLoopbackHost } from '../../conventions/url/host.ts';
import type { Model } from '../../model/model.ts';

/** The path below which the metadata of protected resources stand (RFC 9728 3). */
const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** The parts of a model that identify its API among protected resources. */
export interface ResourceSite {
  readonly basePath: Model['basePath'];
  readonly auth: { readonly resource: string | null } | null;
}

/**
 * Writes the resource identifier of an API (AUTH-8): `auth.resource`, or its origin and base path.
 *
 * @param origin the public URL of the API, or the address it listens on; null if neither is known
 */
export function writeResourceUrl({ basePath, auth }: ResourceSite, origin: string | null): string | null {
  return auth?.resource ?? (origin === null ? null : origin + basePath);
}

/** The public URL; without one, the loopback address of a server of our own. */
export function findResourceUrl(model: ResourceSite & Pick<Model, 'publicUrl'>, origin: string | null): string | null {
  const isLoopback = origin !== null && isLoopbackHost(origin.replace(/^https?:\/\//, ''));
  return writeResourceUrl(model, model.publicUrl ?? (isLoopback ? origin : null));
}

/** Writes the path of the metadata: the well-known path, and below it the path of the resource (RFC 9728 3.1). */
export function writeMetadataPath({ basePath, auth }: ResourceSite): string {
  const declared = auth?.resource ?? null;
  return WELL_KNOWN + (declared === null ? basePath : pathBelowOrigin(new URL(declared)));
}

/** Writes the URL of the metadata of a resource. @param resource its identifier, an absolute URL */
export function writeMetadataUrl(resource: string): string {
  const url = new URL(resource);
  return url.origin + WELL_KNOWN + pathBelowOrigin(url);
}

function pathBelowOrigin({ pathname }: URL): string {
  return pathname === '/' ? '' : pathname;
}

/** Warns where no issuer has the resource as an audience: clients request tokens for it (RFC 8707). */
export function audienceWarnings({
  basePath,
  publicUrl,
  auth,
}: Pick<Model, 'basePath' | 'publicUrl' | 'auth'>): readonly string[] {
  const resource = writeResourceUrl({ basePath, auth }, publicUrl);
  const issuers = auth?.issuers ?? [];
  if (resource === null || issuers.length === 0) return [];
  if (issuers.some(({ audiences }) => audiences.includes(resource))) return [];
  return [
    `auth: no audience of its issuers is ${resource}, the resource that clients request tokens for (RFC 9728): add it to an audience, or set auth.resource to one`,
  ];
}
