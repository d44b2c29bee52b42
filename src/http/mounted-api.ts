import { segmentsBelow, segmentsOfTarget } from '../conventions/url.ts';
import type { Limits } from '../model/model.ts';
import type { Handler } from '../pipeline/exchange.ts';
import { weakMemoize } from '../cache/memoize.ts';

/** An API to be mounted in a server or framework that is not ours. */
export interface MountedApi extends Handler {
  readonly model: { readonly basePath: string; readonly limits: Limits };
}

/** What the API answers beside its base path (OPS-2). */
export const HEALTH_PATHS = ['/livez', '/readyz'] as const;

/** Whether a request target, in whichever spelling, is the API's to answer: its base path, what lies below it, and its health. */
export function owns({ model }: MountedApi, target: string): boolean {
  const segments = segmentsOfTarget(target);
  const isHealth = HEALTH_PATHS.some((health) => segments.length === 1 && health === `/${segments[0]}`);
  return isHealth || segmentsBelow(segments, baseOf(model)) !== null;
}

/** The decoded segments of a base path: each request of the application around is compared with them. */
const baseOf = weakMemoize(({ basePath }: MountedApi['model']) => segmentsOfTarget(basePath));
