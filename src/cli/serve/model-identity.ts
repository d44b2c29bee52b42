import { serialize } from '../../model/fingerprint.ts';
import type { Model } from '../../model/model.ts';
import { digest } from '../../platform/digest.ts';

/**
 * Identifies the content of a model with its relays, which its fingerprint leaves out. For comparison in memory only:
 * relays may contain passwords.
 */
export function identifyModel({ fingerprint, events }: Pick<Model, 'fingerprint' | 'events'>): string {
  return digest(fingerprint + serialize(events));
}
