import type { JsonObject } from '../conventions/json/json.ts';

/** An issuer whose bearer tokens are accepted (AUTH-1, AUTH-2). */
export interface AuthRules {
  /** In declared order; none where a gateway authenticates all callers. */
  readonly issuers: readonly Issuer[];
  /** null where callers are never named by a gateway. */
  readonly gateway: GatewayRule | null;
  /** Name of the resource of API keys; null where there are none (AUTH-8). */
  readonly apiKeys: string | null;
  /** The identifier of the API as a protected resource (RFC 9728); null where it is the URL of the API (AUTH-8). */
  readonly resource: string | null;
  /** The roles of the database as which requests of callers run; null where all run as the role of its URL. */
  readonly databaseRole: DatabaseRoleRule | null;
}

/** The choice of the role of the database as which the statements of a caller run. */
export interface DatabaseRoleRule {
  /** The claim of a token that names the role. */
  readonly claim: string;
  /** The roles that tokens may name. At least one. */
  readonly roles: readonly string[];
  /** The role of callers without credentials; null where they have none. */
  readonly anonymous: string | null;
}

/** A gateway that names callers in header fields (AUTH-6). */
export interface GatewayRule {
  /** Proves that a request comes from it. */
  readonly secret: string;
}

/** A trusted issuer of tokens. */
export interface Issuer {
  /** Unique and without colons; names the source of identity in events and owner fields (AUTH-9). */
  readonly name: string;
  /** The `iss` claim of its tokens, compared character by character. */
  readonly issuer: string;
  /**
   * At least one, of which a token must name one as `aud`. No two issuers with one `iss` have an audience in common.
   */
  readonly audiences: readonly string[];
  readonly keys: KeySource;
  /** True if tokens with `typ: JWT` or without `typ` are accepted, for issuers without RFC 9068. */
  readonly allowTypJwt: boolean;
  /** The claims with scopes: texts with spaces or lists. A token has the scopes of all of them. */
  readonly scopeClaims: readonly string[];
  /** The claim that names the client. */
  readonly clientClaim: string;
}

/** The source of the keys of an issuer. */
export type KeySource =
  /** JSON Web Keys, at least one of which verifies signatures. */
  | { readonly kind: 'inline'; readonly keys: readonly JsonObject[] }
  /** A file with a JSON Web Key Set; a relative path starts at the folder of the model. */
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'uri'; readonly url: string }
  /** The metadata of the issuer name its `jwks_uri` (RFC 8414, OpenID Connect Discovery). */
  | { readonly kind: 'discovery' }
  /** The shared secret of HS256. */
  | { readonly kind: 'secret'; readonly secret: string };

/** A model, as far as its callers are concerned. */
interface AuthenticatedModel {
  readonly auth: Pick<AuthRules, 'databaseRole'> | null;
}

/** Lists the roles of the database as which the statements of callers may run. */
export function listRoles({ auth }: AuthenticatedModel): readonly string[] {
  const { roles = [], anonymous = null } = auth?.databaseRole ?? {};
  return anonymous === null ? roles : [...roles, anonymous];
}

/** True if the statements of callers run as roles of the database, which judges their rights by rules of its own. */
export function hasRoles(model: AuthenticatedModel): boolean {
  return listRoles(model).length > 0;
}

/** The client with which people sign in to the console (OPS-10). */
export interface ConsoleRule {
  /** The public client of the console at the issuer; null where people do not sign in by one. */
  readonly clientId: string | null;
  /** The URL of the issuer; null without a client. */
  readonly issuer: string | null;
  /** The scopes that the console requests; none for those that the issuer gives. */
  readonly scopes: readonly string[];
}
