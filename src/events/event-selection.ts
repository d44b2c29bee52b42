import type { EventEnvelope } from '../conventions/events/event.ts';
import type { Json } from '../conventions/json/json.ts';
import type { PolicyCaller } from '../model/policy.ts';
import type { Contract, Contracts } from '../contract/contract.ts';
import { matchesType } from '../conventions/events/event-pattern.ts';
import { compileEventFilter } from '../model/compile/access/event-filter.ts';
import { listEventTypes } from '../model/event-types.ts';
import { bindPolicy } from '../plan/policy/bind-policy.ts';
import { isVisible } from '../plan/policy/holds.ts';
import { isJudgedByRow, type Visibility, visibilityWhere } from '../plan/visibility.ts';

/** Translates patterns of an older version to types as the log has them. */
export function storedPatterns(
  patterns: readonly string[],
  { model }: Contract,
  { current }: Contracts,
): readonly string[] {
  return [...model.resources.values()].flatMap((older) => {
    const stored = current.model.resources.get(older.name);
    if (stored === undefined) return [];
    return listEventTypes(stored).filter((type) => {
      const olderType = `${older.singular}${type.slice(stored.singular.length)}`;
      return patterns.some((pattern) => matchesType(pattern, olderType));
    });
  });
}

/**
 * Compiles the filter of a consumer: true for the events that it gets. A filter that no longer fits the model lets no
 * event pass.
 *
 * @param filter the JSON text of a policy; null for none
 */
export function compileEventSelection(
  filter: Json,
  patterns: readonly string[],
  { caller, contract }: { readonly caller: PolicyCaller; readonly contract: Contract },
): (event: EventEnvelope) => boolean {
  if (typeof filter !== 'string') return () => true;
  const compiled = compileEventFilter(filter, patterns, contract.model);
  if (compiled.kind === 'invalid') return () => false;
  const { resources } = contract.model;
  const bySingular = new Map([...resources.values()].map((resource) => [resource.singular, resource]));
  const visibilities = new Map<string, Visibility | null>(
    [...compiled.policies].map(([name, policy]) => {
      const bound = bindPolicy(policy, { caller, resources });
      return [name, bound === null ? null : visibilityWhere(bound)];
    }),
  );
  return ({ payload }) => {
    const resource = bySingular.get(payload.resource.type);
    const visible = visibilities.get(resource?.name ?? '') ?? null;
    if (resource === undefined || visible === null || payload.data === undefined) return false;
    return isJudgedByRow(visible) && isVisible(resource, payload.data, visible);
  };
}
