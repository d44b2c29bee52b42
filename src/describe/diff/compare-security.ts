import type { JsonObject } from '../../conventions/json/json.ts';
import type { Pair } from '../../model/diff/comparers.ts';
import { type Difference, difference, type Place, shown } from '../../model/diff/difference.ts';
import { stringsOf } from '../../model/values/access.ts';

/**
 * The differences of the credentials that an operation needs. A caller fulfils one of several requirements, each of which names schemes with scopes.
 *
 * @param requirements none where any caller may use the operation
 */
export function compareSecurity(requirements: Pair<readonly JsonObject[]>, at: Place): readonly Difference[] {
  const [was, is] = requirements.map((each) => (each.length === 0 ? [{}] : each));
  if (was === undefined || is === undefined) return [];
  const narrower = !was.every((each) => is.some((other) => isEnough(each, other)));
  const wider = !is.every((each) => was.some((other) => isEnough(each, other)));
  if (!narrower && !wider) return [];
  const kind = narrower && wider ? 'access-changed' : narrower ? 'access-narrower' : 'access-wider';
  return [difference(kind, at, `needs ${describe(is)}, needed ${describe(was)}`)];
}

/** Whether a caller who fulfils one requirement fulfils another one. */
function isEnough(fulfilled: JsonObject, needed: JsonObject): boolean {
  return Object.entries(needed).every(([scheme, scopes]) => {
    const held = new Set(stringsOf(fulfilled[scheme]));
    return Object.hasOwn(fulfilled, scheme) && stringsOf(scopes).every((scope) => held.has(scope));
  });
}

function describe(requirements: readonly JsonObject[]): string {
  if (requirements.some((each) => Object.keys(each).length === 0)) return 'nothing';
  return requirements.map((each) => Object.entries(each).map(describeScheme).join(' and ')).join(', or ');
}

function describeScheme([scheme, scopes]: readonly [string, JsonObject[string]]): string {
  const names = stringsOf(scopes);
  return names.length === 0 ? shown(scheme) : `${shown(scheme)} with ${names.map(shown).join(' and ')}`;
}
