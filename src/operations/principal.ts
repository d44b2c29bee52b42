import { type OwnerForm, ownerForm, policyCaller } from '../auth/policy-caller.ts';
import type { VerifiedToken } from '../auth/token-verifier.ts';
import { ObjectCache } from '../cache/object-cache.ts';
import { withColons } from '../model/issuer-names.ts';
import type { Model } from '../model/model.ts';
import type { PolicyCaller } from '../model/policy.ts';

/**
 * The identity of a caller. It is the same object for each request with a known token, so that values computed for a
 * caller can be cached by it.
 */
export interface Principal extends PolicyCaller {
  /** The caller as events name it; null for an anonymous one. */
  readonly subject: string | null;
  /**
   * Names the caller in data that belongs to it alone: idempotency records, batch records and rate limits (AUTH-9). It
   * is never part of a cache key, because callers with the same permission share representations.
   */
  readonly identity: string;
  /** Its identity while the name of its issuer could contain colons: its records are stored for a day (AUTH-9b). */
  readonly formerIdentity: string | null;
  /** The scopes of its credentials; null for an anonymous caller. */
  readonly scopes: ReadonlySet<string> | null;
  /** The source of its name; null for an anonymous caller. */
  readonly source: 'bearer' | 'gateway' | null;
}

/**
 * Caches the callers of one API. A verified token is the same object in each request, and so is its caller. A caller
 * depends on the token and on the owner names of the API: another API with the same verifier has its own.
 */
export class Callers {
  readonly #form: OwnerForm;
  readonly cache = new ObjectCache<VerifiedToken, Principal>();

  constructor({ auth }: Pick<Model, 'auth'>) {
    this.#form = auth === null ? 'subject' : ownerForm(auth);
  }

  /** Returns the caller of a bearer token. */
  find(token: VerifiedToken): Principal {
    const known = this.cache.get(token);
    if (known !== undefined) return known;
    const made = this.create(token, 'bearer');
    this.cache.set(token, made);
    return made;
  }

  /** Names a caller by all of issuer, subject and client: two issuers may have the same subject (AUTH-9). */
  create(token: VerifiedToken, source: 'bearer' | 'gateway'): Principal {
    const { issuer, subject, client } = token;
    const former = withColons(issuer);
    return {
      ...policyCaller(token, this.#form),
      identity: JSON.stringify([issuer, subject, client]),
      formerIdentity: former === null ? null : JSON.stringify([former, subject, client]),
      source,
    };
  }
}
