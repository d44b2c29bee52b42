import { ObjectCache } from '../../cache/object-cache.ts';
import { isRecord } from '../../model/typescript/module-values.ts';
import type { Json } from '../../conventions/json/json.ts';
import { compilePolicy } from '../../model/compile/access/policy.ts';
import { formatPath } from '../../model/path.ts';
import type { AccessOperation, Resource } from '../../model/model.ts';
import type { Policy, PolicyCaller, RowRule } from '../../model/policy.ts';
import { bindPolicy, type BindContext, type BoundPolicy, every, throughReferences } from './bind-policy.ts';
import { estimateEffort } from '../list/effort.ts';
import type { ListPlan, ListRead } from '../plan.ts';
import { EVERYTHING, NOTHING, type Visibility, visibilityWhere } from '../visibility.ts';

/** A policy of a TypeScript model failed: its function threw, or returned no policy. The caller may see nothing. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';
}

/** The rows that a caller may access, by resource and operation. */
export interface RowVisibilities {
  /**
   * By the rules of the resource itself: for reads below all ancestors of a row, each of which has its own visibility.
   *
   * @throws {PolicyError}
   */
  own(resource: string, operation?: AccessOperation): Visibility;
  /**
   * By these and those of the rows above, which have to be readable: for reads that name no path.
   *
   * @throws {PolicyError}
   */
  whole(resource: string, operation?: AccessOperation): Visibility;
  /**
   * For a read that names some of the rows above, nearest first: `own` where it names all of them.
   *
   * @throws {PolicyError}
   */
  below(resource: string, within: readonly unknown[]): Visibility;
  /** A list of the visible rows costs what their conditions cost. @throws {PolicyError} */
  list(read: ListRead): Pick<ListPlan, 'visible' | 'effort'>;
}

/** All rows: of what reads for the system, and of every caller of a model without row policies. */
export const UNRESTRICTED: RowVisibilities = {
  own: () => EVERYTHING,
  whole: () => EVERYTHING,
  below: () => EVERYTHING,
  list: ({ effort }) => ({ visible: EVERYTHING, effort }),
};

/** By caller, for as long as what names the caller: its token. */
export type VisibilityCache = ObjectCache<PolicyCaller, RowVisibilities>;

/** The rows that each caller of a model may access. */
export function visibilitiesByCaller(
  resources: ReadonlyMap<string, Resource>,
  cache: VisibilityCache = new ObjectCache(),
): (caller: PolicyCaller) => RowVisibilities {
  if (!restrictsRows(resources)) return () => UNRESTRICTED;
  return (caller) => {
    const known = cache.get(caller);
    if (known !== undefined) return known;
    const visibilities = new Visibilities(resources, caller);
    cache.set(caller, visibilities);
    return visibilities;
  };
}

/**
 * The rows that one caller may access (AUTH-5). Depends on the caller's *visibility* alone, so that it can be kept as
 * long as what names the caller: its token.
 */
export class Visibilities implements RowVisibilities {
  readonly #context: BindContext;
  readonly #own: ByOperation = {};
  readonly #whole: ByOperation = {};

  constructor(resources: ReadonlyMap<string, Resource>, caller: PolicyCaller) {
    this.#context = { resources, caller };
  }

  below(resource: string, within: readonly unknown[]): Visibility {
    let depth = 0;
    for (let { parent } = this.#resource(resource); parent !== null; depth += 1)
      ({ parent } = this.#resource(parent.resource));
    return depth > within.length ? this.whole(resource) : this.own(resource);
  }

  list(read: ListRead): Pick<ListPlan, 'visible' | 'effort'> {
    const { resource, within, effort } = read;
    const visible = this.below(resource, within);
    if (visible.kind === 'everything' || effort === 'unbounded') return { visible, effort };
    return { visible, effort: estimateEffort(this.#resource(resource), read, visible) };
  }

  own(resource: string, operation: AccessOperation = 'read'): Visibility {
    const known = (this.#own[operation] ??= new Map());
    return known.get(resource) ?? kept(known, resource, this.#ownPolicy(this.#resource(resource), operation));
  }

  whole(resource: string, operation: AccessOperation = 'read'): Visibility {
    const known = (this.#whole[operation] ??= new Map());
    return known.get(resource) ?? kept(known, resource, this.#wholePolicy(this.#resource(resource), operation));
  }

  #ownPolicy(resource: Resource, operation: AccessOperation): BoundPolicy {
    return every(resource.rows[operation].map((rule) => bindPolicy(this.#policy(rule, resource), this.#context)));
  }

  #wholePolicy(resource: Resource, operation: AccessOperation): BoundPolicy {
    const own = this.#ownPolicy(resource, operation);
    if (resource.parent === null) return own;
    const above = this.#wholePolicy(this.#resource(resource.parent.resource), 'read');
    return every([own, throughReferences([resource.parent], above)]);
  }

  /** @throws {PolicyError} */
  #policy(rule: RowRule, resource: Resource): Policy {
    if (rule.kind === 'policy') return rule.policy;
    const problems: string[] = [];
    const policy = compilePolicy(this.#result(rule, resource), [], {
      resource,
      resources: this.#context.resources,
      report: (path, cause, fix) => problems.push(`${formatPath(path)}: ${cause}; ${fix}`),
      isResult: true,
    });
    const [problem] = problems;
    if (problem !== undefined) throw new PolicyError(`a policy of ${resource.name} returned no policy: ${problem}`);
    return policy;
  }

  /** The result of a function. @throws {PolicyError} */
  #result({ policyOf }: Extract<RowRule, { kind: 'function' }>, { name }: Resource): Json {
    try {
      return policyTree(policyOf(this.#context.caller));
    } catch (cause) {
      throw new PolicyError(`a policy of ${name} failed`, { cause });
    }
  }

  #resource(name: string): Resource {
    const resource = this.#context.resources.get(name);
    if (resource === undefined) throw new Error(`the model has no resource ${name}`);
    return resource;
  }
}

/** Visibilities of resources by name. A caller that only reads has none of writes: there may be many callers. */
type ByOperation = Partial<Record<AccessOperation, Map<string, Visibility>>>;

function kept(known: Map<string, Visibility>, key: string, policy: BoundPolicy): Visibility {
  const visible = makeVisibility(policy);
  known.set(key, visible);
  return visible;
}

function makeVisibility(policy: BoundPolicy): Visibility {
  if (policy === null) return NOTHING;
  return policy.length === 0 ? EVERYTHING : visibilityWhere(policy);
}

/** True if a model restricts rows at all. Without it every caller sees everything. */
function restrictsRows(resources: ReadonlyMap<string, Resource>): boolean {
  return [...resources.values()].some(({ rows }) => Object.values(rows).some((rules) => rules.length > 0));
}

/** Maximum levels of nesting. */
const MAX_DEPTH = 32;

/**
 * Writes the tree that a policy function returned as JSON. Undefined and NaN become null, never an absent member:
 * a comparison for which a caller has no value stays in the tree.
 *
 * @throws {TypeError} if it has a value that no policy can have
 */
function policyTree(value: unknown, depth = 0): Json {
  if (depth > MAX_DEPTH) throw new TypeError(`it has more than ${MAX_DEPTH} levels`);
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint') return String(value);
  return value === null || value === undefined ? null : structureTree(value, depth + 1);
}

function structureTree(value: unknown, depth: number): Json {
  if (value instanceof Set || Array.isArray(value))
    return Array.from<unknown, Json>(value, (each) => policyTree(each, depth));
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Promise) {
    // Its rejection has no other handler.
    value.catch(() => undefined);
    throw new TypeError('it is a promise: a policy is synchronous');
  }
  if (!isRecord(value)) throw new TypeError('it has a value that is no data');
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, policyTree(held, depth)]));
}
