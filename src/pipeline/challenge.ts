import { challenge, type ChallengeError } from '../conventions/headers/credentials.ts';
import { type ApiError, apiError } from '../conventions/errors.ts';
import type { Contract } from '../contract/contract.ts';
import { writeMetadataUrl } from '../plan/routes/protected-resource.ts';

/** The name of the API outside of its responses. */
export interface ResourceIdentity {
  /**
   * The identifier of the API as a protected resource, an absolute URL (AUTH-8). It is null if neither its public URL
   * nor a loopback address that it listens on is known.
   */
  readonly resource: () => string | null;
}

/**
 * Writes the header fields of a 401, and of a 403 for a missing scope (AUTH-3). They name the URL of the metadata, if
 * the resource is known (AUTH-8).
 */
export function challengeHeaders(
  { model }: Contract,
  { resource: findResource }: ResourceIdentity,
  error: ChallengeError,
): ApiError['headers'] {
  const resource = findResource();
  const metadataUrl = resource === null ? null : writeMetadataUrl(resource);
  return { 'WWW-Authenticate': challenge(model.name, metadataUrl, error) };
}

/** 401 AUTH_REQUIRED of a caller without credentials that needs some (AUTH-3). */
export function credentialsRequired(contract: Contract, identity: ResourceIdentity): ApiError {
  const headers = challengeHeaders(contract, identity, { kind: 'none' });
  return apiError('AUTH_REQUIRED', 'This request needs credentials; send "Authorization: Bearer <token>".', {
    headers,
  });
}
