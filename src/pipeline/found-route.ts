import type { CompiledResource } from '../contract/contract.ts';
import type { Ancestor } from '../plan/plan.ts';
import type { Method } from '../conventions/methods.ts';
import { listMethods, type OriginKind } from '../plan/routes/route-table.ts';

/** The target of a path. */
export type Route =
  /** The server as a whole, `OPTIONS *`. */
  | { readonly kind: 'server' }
  | { readonly kind: OriginKind }
  | { readonly kind: 'root' }
  | { readonly kind: 'collection'; readonly compiled: CompiledResource; readonly within: readonly Ancestor[] }
  | {
      readonly kind: 'item';
      readonly compiled: CompiledResource;
      readonly within: readonly Ancestor[];
      readonly id: string;
    }
  /** Several writes in one request (MET-13). */
  | { readonly kind: 'batches' }
  | { readonly kind: 'batch'; readonly id: string }
  /** The log of events (EVT-8). */
  | { readonly kind: 'events' }
  | { readonly kind: 'event'; readonly id: string };

/** Lists the methods of the target of a path, in their order (MET-5, MET-6). */
export function listTargetMethods(route: Route): readonly Method[] {
  return listMethods(route.kind, 'compiled' in route ? route.compiled.resource : null);
}
