import type { Json, JsonObject } from '../../conventions/json/json.ts';
import { compareNamed, matched, type Pair, setDifference, compareSets } from '../../model/diff/comparers.ts';
import type { ModelDiff } from '../../model/diff/diff-models.ts';
import {
  API_PLACE,
  type Difference,
  difference,
  isAndWas,
  listed,
  type Place,
  shown,
} from '../../model/diff/difference.ts';
import type { Impact } from '../../model/diff/difference-kinds.ts';
import { isSameJson } from '../../model/diff/keywords.ts';
import { readArray, readObject, readString, readStrings } from '../../model/values/access.ts';
import { type ApiDescription, resolve } from './api-description.ts';
import { compareBodies, compareParameters, compareResponses } from './compare-contents.ts';
import { ComparedDescriptions } from './compared-descriptions.ts';
import { type DescribedOperation, describedOperations } from './described-operations.ts';
import { ACCESS } from '../../model/diff/compare-access.ts';

/** The limits of comparing descriptions. */
const NOTES: readonly string[] = [
  'descriptions were compared, which do not say what was renamed, and nothing of transitions, unique values, policies on rows, events, hooks, limits of sizes and rates, or bounds of decimals; compare the models for these',
];

/**
 * Compares two descriptions: every difference on which clients depend. Texts and examples are not compared.
 *
 * @throws {DescriptionError} a reference that cannot be followed, or schemas that are nested too deeply
 */
export function diffDescriptions(was: ApiDescription, is: ApiDescription): ModelDiff {
  const descriptions: Pair<ApiDescription> = [was, is];
  const of = new ComparedDescriptions(descriptions);
  const [before, after] = [describedOperations(was), describedOperations(is)];
  const operations = compareNamed(matched(before.operations, after.operations), {
    both: (pair) => compareOperation(pair, of),
    added: (each) => difference('operation-added', operationPlace(each), 'a new operation'),
    removed: (each) => difference('operation-removed', operationPlace(each), 'was removed'),
  });
  return {
    differences: merged([
      ...compareServers(descriptions),
      ...compareTexts('title-changed', 'the title', [was.title, is.title]),
      ...compareBases([before.base, after.base]),
      ...compareTexts('name-changed', 'the name of the API, which media types have,', of.names),
      ...compareCredentials(descriptions),
      ...operations,
    ]),
    notes: NOTES,
  };
}

function compareOperation(pair: Pair<DescribedOperation>, of: ComparedDescriptions): readonly Difference[] {
  const at = operationPlace(pair[1]);
  const requests = { ...at, responses: false };
  const [was, is] = [pair[0].operation, pair[1].operation];
  const [oldId, newId] = [readString(was['operationId']), readString(is['operationId'])];
  const isDeprecated = is['deprecated'] === true;
  return [
    ...(oldId === null || oldId === newId
      ? []
      : [difference('operation-id-changed', at, `the operationId ${isAndWas(newId ?? undefined, oldId)}`)]),
    ...((was['deprecated'] === true) === isDeprecated
      ? []
      : [difference('annotation-changed', at, isDeprecated ? 'is deprecated' : 'is no longer deprecated')]),
    ...compareSecurity([pair[0].security, pair[1].security], at),
    ...compareParameters([pair[0].parameters, pair[1].parameters], requests, of),
    ...compareBodies([was['requestBody'], is['requestBody']], requests, of),
    ...compareResponses([was['responses'], is['responses']], { ...at, requests: false }, of),
  ];
}

/** Grouped by the tag, which is the resource in descriptions of this program. */
function operationPlace({ label, tag }: DescribedOperation): Place {
  return { ...API_PLACE, resource: tag, path: label.replaceAll(/[`\p{Cc}]/gu, '') };
}

function compareTexts(
  kind: 'title-changed' | 'name-changed' | 'public-url-changed',
  name: string,
  [was, is]: Pair<string | null>,
): readonly Difference[] {
  return was === is ? [] : [difference(kind, API_PLACE, `${name} ${isAndWas(is ?? undefined, was ?? undefined)}`)];
}

/** The origin. The rest of the URL is a part of each path. */
function compareServers(descriptions: Pair<ApiDescription>): readonly Difference[] {
  const [was, is] = descriptions.map(({ document }) => {
    const url = readString(readObject(readArray(document['servers'])[0])['url']) ?? '';
    return /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i.exec(url)?.[0] ?? null;
  });
  return compareTexts('public-url-changed', 'the public URL', [was ?? null, is ?? null]);
}

function compareBases([was, is]: Pair<string | null>): readonly Difference[] {
  if (was === null || is === null || was === is) return [];
  return [difference('base-path-changed', API_PLACE, `paths begin with ${is}, began with ${was}`)];
}

/** The ways to authenticate. */
function compareCredentials(descriptions: Pair<ApiDescription>): readonly Difference[] {
  const [was, is] = descriptions.map((each) => {
    const schemes = Object.entries(readObject(readObject(each.document['components'])['securitySchemes']));
    return new Map(schemes.map(([name, scheme]) => [name, withoutTexts(resolve(scheme, each).value)]));
  });
  if (was === undefined || is === undefined) return [];
  const { removed, added } = setDifference(was.keys(), is.keys());
  const changed = [...is].filter(([name, scheme]) => was.has(name) && !isSameJson(was.get(name), scheme));
  return [
    ...(added.length === 0 ? [] : [difference('credentials-accepted', API_PLACE, `accepts ${listed(added)}`)]),
    ...[...removed, ...changed.map(([name]) => name)].map((name) =>
      difference('credentials-refused', API_PLACE, `no longer accepts ${listed([name])} as it was`),
    ),
  ];
}

function withoutTexts(scheme: JsonObject): Json {
  return Object.fromEntries(Object.entries(scheme).filter(([name]) => name !== 'description'));
}

/** A difference that two places have in common is one, such as of a schema that both requests and responses use. */
function merged(differences: readonly Difference[]): readonly Difference[] {
  const groups = Map.groupBy(differences, ({ kind, path, what }) => JSON.stringify([kind, path, what]));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const requests = strongest(group.map((each) => each.requests));
    return [{ ...first, requests, responses: strongest(group.map((each) => each.responses)) }];
  });
}

const IMPACTS: readonly Impact[] = ['none', 'compatible', 'possibly-breaking', 'breaking'];

function strongest(impacts: readonly Impact[]): Impact {
  return IMPACTS[Math.max(...impacts.map((impact) => IMPACTS.indexOf(impact)))] ?? 'none';
}

/**
 * The differences of the credentials that an operation needs. A caller fulfils one of several requirements, each of
 * which names schemes with scopes.
 */
function compareSecurity(requirements: Pair<readonly JsonObject[]>, at: Place): readonly Difference[] {
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
    const held = new Set(readStrings(fulfilled[scheme]));
    return Object.hasOwn(fulfilled, scheme) && readStrings(scopes).every((scope) => held.has(scope));
  });
}

function describeSecurity(requirements: readonly JsonObject[]): string {
  if (requirements.some((each) => Object.keys(each).length === 0)) return 'nothing';
  return requirements.map((each) => Object.entries(each).map(describeScheme).join(' and ')).join(', or ');
}

function describeScheme([scheme, scopes]: readonly [string, JsonObject[string]]): string {
  const names = readStrings(scopes);
  return names.length === 0 ? shown(scheme) : `${shown(scheme)} with ${names.map(shown).join(' and ')}`;
}
