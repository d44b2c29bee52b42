import type { AuthRules, Issuer } from '../auth-rules.ts';
import { byName } from './compare-shapes.ts';
import { type Comparer, type Comparers, compareMembers, flag, matched, setDifference, unseen } from './comparers.ts';
import { type Difference, difference, inside, listed, type Place, shown } from './difference.ts';

const AUTH_COMPARERS = {
  issuers: compareIssuers,
  gateway: (was, is, at) => GATEWAY(was !== null, is !== null, at, [was !== null, is !== null]),
  apiKeys: (was, is, at) => accepted(was === null ? [] : [was], is === null ? [] : [is], 'API keys of', at),
  resource: unseen('clients read it from the metadata before each request of a token'),
  databaseRole: unseen('the rights of the role are those of the database'),
} satisfies Comparers<AuthRules>;

/** Its secret is between the gateway and the server. */
const GATEWAY = flag(
  ['credentials-accepted', 'a gateway may name callers'],
  ['credentials-refused', 'no gateway may name callers'],
);

const ISSUER_COMPARERS = {
  name: unseen('issuers are matched by it'),
  issuer: (was, is, at) =>
    was === is ? [] : [difference('credentials-refused', at, `iss is ${shown(is)}, was ${shown(was)}`)],
  audiences: credentials('the audiences'),
  keys: unseen('keys change without a new version of the API'),
  allowTypJwt: flag(
    ['credentials-accepted', 'accepts tokens of typ JWT'],
    ['credentials-refused', 'refuses tokens of typ JWT'],
  ),
  scopeClaims: credentials('scopes in'),
  clientClaim: (was, is, at) =>
    was === is
      ? []
      : [difference('client-claim-changed', at, `the client is in the claim ${shown(is)}, was in ${shown(was)}`)],
} satisfies Comparers<Issuer>;

/** The differences of who may call; null where every caller is accepted. */
export function compareAuth(was: AuthRules | null, is: AuthRules | null, at: Place): readonly Difference[] {
  const auth = inside(at, 'auth');
  if (was !== null && is !== null) return compareMembers<AuthRules, Place>(AUTH_COMPARERS, [was, is], auth);
  if (is !== null) return [difference('authentication-required', auth, 'callers authenticate')];
  return was === null ? [] : [difference('authentication-not-required', auth, 'callers do not authenticate')];
}

function compareIssuers(was: readonly Issuer[], is: readonly Issuer[], at: Place): readonly Difference[] {
  const { removed, added, both } = matched(byName(was), byName(is));
  return [
    ...[...both].flatMap(([name, pair]) =>
      compareMembers<Issuer, Place>(ISSUER_COMPARERS, pair, inside(at, `issuers.${name}`)),
    ),
    ...accepted([...removed.keys()], [...added.keys()], 'tokens of', at),
  ];
}

function credentials(what: string): Comparer<readonly string[]> {
  return (was, is, at) => accepted(was, is, what, at);
}

function accepted(was: readonly string[], is: readonly string[], what: string, at: Place): readonly Difference[] {
  const { removed, added } = setDifference(was, is);
  return [
    ...(removed.length > 0
      ? [difference('credentials-refused', at, `no longer accepts ${what} ${listed(removed)}`)]
      : []),
    ...(added.length > 0 ? [difference('credentials-accepted', at, `accepts ${what} ${listed(added)}`)] : []),
  ];
}
