import { fieldOfPath } from '../../conventions/text/field-path.ts';
import { isJsonObject, type Json } from '../../conventions/json/json.ts';
import { compilePolicy } from '../../model/compile/access/policy.ts';
import type { Resource } from '../../model/model.ts';
import type { Policy, PolicyComparison } from '../../model/policy.ts';
import { formatPath } from '../../model/path.ts';
import type { Contract } from '../../contract/contract.ts';
import { publishedFields, listEventTypes } from '../../plan/events/event-types.ts';
import { matchesType } from './event-types.ts';

/**
 * The policies of a filter by the name of the resource, or the error of an invalid filter: a predicate without a
 * subject.
 */
export type EventFilter =
  | { readonly kind: 'valid'; readonly policies: ReadonlyMap<string, Policy> }
  | { readonly kind: 'invalid'; readonly message: string };

/**
 * Compiles the filter of a webhook (EVT-4): the JSON of a policy, as row policies have it, on the data of the events.
 * It must hold for every resource of the patterns, whose events must have data. If only `*` matches the events of
 * webhooks, and the filter does not fit them, they are left out.
 *
 * @param text JSON
 * @param patterns of the webhook
 * @param contract of a request, the one that its caller sees: other fields are unknown (REP-11)
 */
export function compileEventFilter(text: string, patterns: readonly string[], { model }: Contract): EventFilter {
  const tree = parse(text);
  if (tree === null) return { kind: 'invalid', message: 'must be the JSON of a policy, such as {"status": "ACTIVE"}' };
  const selected = [...model.resources.values()].filter((resource) =>
    listEventTypes(resource).some((type) => patterns.some((pattern) => matchesType(pattern, type))),
  );
  const thin = selected.find(({ events }) => events === 'thin');
  if (thin !== undefined)
    return {
      kind: 'invalid',
      message: `needs events with data, which those of ${thin.singular} have not (events: full)`,
    };
  const policies = new Map<string, Policy>();
  for (const resource of selected) {
    const compiled = compileFor(resource, tree, model.resources);
    if (typeof compiled !== 'string') policies.set(resource.name, compiled);
    else if (resource.events !== 'disabled' || isNamed(resource, patterns))
      return { kind: 'invalid', message: compiled };
  }
  return { kind: 'valid', policies };
}

/** True if patterns other than `*` match events of a resource. */
function isNamed(resource: Resource, patterns: readonly string[]): boolean {
  const named = patterns.filter((pattern) => pattern !== '*');
  return listEventTypes(resource).some((type) => named.some((pattern) => matchesType(pattern, type)));
}

function parse(text: string): Json | null {
  try {
    const tree: Json = JSON.parse(text);
    return typeof tree === 'boolean' || isJsonObject(tree) ? tree : null;
  } catch {
    return null;
  }
}

/** Compiles the policy of one resource, or returns its error. */
function compileFor(resource: Resource, tree: Json, resources: ReadonlyMap<string, Resource>): Policy | string {
  const problems: string[] = [];
  const policy = compilePolicy(tree, [], {
    resource,
    resources,
    report: (path, cause, fix) =>
      problems.push(`is no policy of ${resource.name}: ${formatPath(path)}: ${cause}; ${fix}`),
    isResult: false,
  });
  const [problem] = problems;
  if (problem !== undefined) return problem;
  const compared = listComparisons(policy);
  if (compared.some(({ references }) => references.length > 0))
    return 'must compare fields of the row itself, not of rows that it refers to';
  const published = new Set(['id', ...publishedFields(resource).map(({ name }) => name)]);
  const absent = compared.find(({ path }) => !published.has(fieldOfPath(path)));
  return absent === undefined ? policy : `must not compare ${absent.path}, which the data of events does not have`;
}

function listComparisons(policy: Policy): readonly PolicyComparison[] {
  switch (policy.kind) {
    case 'scope':
      return [];
    case 'compare':
      return [policy];
    case 'not':
      return listComparisons(policy.policy);
    case 'all':
    case 'any':
      return policy.policies.flatMap(listComparisons);
  }
}
