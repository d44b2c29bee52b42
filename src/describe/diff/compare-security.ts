import type { JsonObject } from '../../conventions/json/json.ts';
import { ACCESS } from '../../model/diff/compare-access.ts';
import { compareSets, type Pair } from '../../model/diff/comparers.ts';
import { type Difference, difference, type Place, shown } from '../../model/diff/difference.ts';
import { stringsOf } from '../../model/values/access.ts';

/**
 * The differences of the credentials that an operation needs. A caller fulfils one of several requirements, each of which names schemes with scopes.
 */
export function compareSecurity(requirements: Pair<readonly JsonObject[]>, at: Place): readonly Difference[] {
  const kind = compareSets(requirements, acceptsAll, ACCESS);
  const [was, is] = requirements.map(describeSecurity);
  return kind === null ? [] : [difference(kind, at, `needs ${is}, needed ${was}`)];
}

/** True if each caller who fulfils one of the inner requirements fulfils one of the outer ones. */
function acceptsAll(outer: readonly JsonObject[], inner: readonly JsonObject[]): boolean {
  return inner.every((each) => outer.some((other) => isEnough(each, other)));
}

/** True if a caller who fulfils one requirement fulfils the other one. */
function isEnough(fulfilled: JsonObject, needed: JsonObject): boolean {
  return Object.entries(needed).every(([scheme, scopes]) => {
    const held = new Set(stringsOf(fulfilled[scheme]));
    return Object.hasOwn(fulfilled, scheme) && stringsOf(scopes).every((scope) => held.has(scope));
  });
}

function describeSecurity(requirements: readonly JsonObject[]): string {
  if (requirements.some((each) => Object.keys(each).length === 0)) return 'nothing';
  return requirements.map((each) => Object.entries(each).map(describeScheme).join(' and ')).join(', or ');
}

function describeScheme([scheme, scopes]: readonly [string, JsonObject[string]]): string {
  const names = stringsOf(scopes);
  return names.length === 0 ? shown(scheme) : `${shown(scheme)} with ${names.map(shown).join(' and ')}`;
}
