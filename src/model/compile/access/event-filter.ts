import { fieldOfPath } from '../../../conventions/text/field-path.ts';
import { matchesType } from '../../../conventions/events/event-pattern.ts';
import { isJsonObject, type Json } from '../../../conventions/json/json.ts';
import { publishedFields, listEventTypes } from '../../event-types.ts';
import type { Model, Resource } from '../../model.ts';
import type { Policy, PolicyComparison } from '../../policy.ts';
import { formatPath, type Path } from '../../path.ts';
import { compilePolicy } from './policy.ts';

/**
 * The policies of a filter by the name of the resource, or the error of an invalid filter: a predicate without a
 * subject.
 */
export type EventFilter =
  | { readonly kind: 'valid'; readonly policies: ReadonlyMap<string, Policy> }
  | { readonly kind: 'invalid'; readonly message: string; readonly problem: FilterProblem };

/** The error of a filter as models report it. */
interface FilterProblem {
  /** The place in the filter. */
  readonly at: Path;
  readonly cause: string;
  readonly fix: string;
}

/**
 * Compiles the filter of a webhook (EVT-4) or a relay (EVT-9): a policy, as row policies have it, on the data of the
 * events. It must hold for every resource of the patterns, whose events must have data. If only `*` matches the events
 * of webhooks, and the filter does not fit them, they are left out.
 *
 * @param text JSON
 * @param patterns of the webhook or the relay
 * @param model as the consumer sees it: other fields are unknown (REP-11)
 */
export function compileEventFilter(
  text: string,
  patterns: readonly string[],
  model: Pick<Model, 'resources'>,
): EventFilter {
  const tree = parse(text);
  if (tree === null) return invalid('must be the JSON of a policy, such as {"status": "ACTIVE"}', 'write a policy');
  const selected = listSelected(patterns, model);
  const thin = selected.find(({ events }) => events === 'thin');
  if (thin !== undefined)
    return invalid(
      `needs events with data, which those of ${thin.singular} have not (events: full)`,
      `write events: full for ${thin.name}, or other types for the filter`,
    );
  const policies = new Map<string, Policy>();
  for (const resource of selected) {
    const compiled = compileFor(resource, tree, model.resources);
    if (compiled.kind === 'valid') policies.set(resource.name, compiled.policy);
    else if (resource.events !== 'disabled' || isNamed(resource, patterns)) return compiled;
  }
  return { kind: 'valid', policies };
}

/** The resources of whose events at least one type matches. */
export function listSelected(
  patterns: readonly string[],
  { resources }: Pick<Model, 'resources'>,
): readonly Resource[] {
  return [...resources.values()].filter((resource) =>
    listEventTypes(resource).some((type) => patterns.some((pattern) => matchesType(pattern, type))),
  );
}

type InvalidFilter = EventFilter & { readonly kind: 'invalid' };

function invalid(message: string, fix: string): InvalidFilter {
  return { kind: 'invalid', message, problem: { at: [], cause: `the filter ${message}`, fix } };
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

/** Compiles the policy of one resource, or returns its first error. */
function compileFor(
  resource: Resource,
  tree: Json,
  resources: ReadonlyMap<string, Resource>,
): InvalidFilter | { readonly kind: 'valid'; readonly policy: Policy } {
  const problems: FilterProblem[] = [];
  const policy = compilePolicy(tree, [], {
    resource,
    resources,
    report: (at, cause, fix) => problems.push({ at, cause, fix }),
    isResult: false,
  });
  const [problem] = problems;
  if (problem !== undefined) {
    const { at, cause, fix } = problem;
    return {
      kind: 'invalid',
      message: `is no policy of ${resource.name}: ${formatPath(at)}: ${cause}; ${fix}`,
      problem,
    };
  }
  const compared = listComparisons(policy);
  if (compared.some(({ references }) => references.length > 0))
    return invalid(
      'must compare fields of the row itself, not of rows that it refers to',
      `compare a field of ${resource.name}`,
    );
  const published = new Set(['id', ...publishedFields(resource).map(({ name }) => name)]);
  const absent = compared.find(({ path }) => !published.has(fieldOfPath(path)));
  if (absent === undefined) return { kind: 'valid', policy };
  return invalid(
    `must not compare ${absent.path}, which the data of events does not have`,
    'compare a field that is not writeOnly',
  );
}

/** The comparisons in a policy, at any depth. */
export function listComparisons(policy: Policy): readonly PolicyComparison[] {
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
