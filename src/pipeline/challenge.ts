import { challenge, type ChallengeError } from '../conventions/headers/credentials.ts';
import { type ApiError, apiError } from '../conventions/errors.ts';
import type { Contract } from '../contract/contract.ts';
import { metadataUrl, type ResourceIdentity } from './metadata-response.ts';

/** What challenges name besides the API: where its metadata are (AUTH-8). */
export type ChallengeOptions = ResourceIdentity;

/** The header fields of a 401, and of a 403 for a missing scope (AUTH-3). */
export function challengeHeaders(
  { model }: Contract,
  identity: ChallengeOptions,
  error: ChallengeError,
): ApiError['headers'] {
  return { 'WWW-Authenticate': challenge(model.name, metadataUrl(identity), error) };
}

/** The error for a caller without credentials that needs some (AUTH-3). */
export function credentialsRequired(
  { contract }: { readonly contract: Contract },
  options: ChallengeOptions,
): ApiError {
  const headers = challengeHeaders(contract, options, { kind: 'none' });
  return apiError('AUTH_REQUIRED', 'This request needs credentials; send "Authorization: Bearer <token>".', {
    headers,
  });
}
