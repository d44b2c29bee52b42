import { challenge, type ChallengeError } from '../conventions/credentials.ts';
import { type ApiError, apiError } from '../conventions/errors.ts';
import type { Contract } from './contract.ts';

/** What challenges name besides the API. */
export interface ChallengeOptions {
  /** The URL of the protected resource metadata (AUTH-8); null where the server does not know its own address. */
  readonly resourceMetadata: () => string | null;
}

/** The header fields of a 401, and of a 403 for a missing scope (AUTH-3). */
export function challengeHeaders(
  { model }: Contract,
  { resourceMetadata }: ChallengeOptions,
  error: ChallengeError,
): ApiError['headers'] {
  return { 'WWW-Authenticate': challenge(model.name, resourceMetadata(), error) };
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
