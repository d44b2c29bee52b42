import { digest } from '../../../platform/digest.ts';
import type { ModelProfile } from '../../sql/schema/model-profile.ts';

/** Characters of the name of a model: PostgreSQL cuts names of sessions after 63. */
const MAX_MODEL_NAME = 40;
const DIGEST_LENGTH = 8;

/**
 * The name of the sessions of instances of a model on a schema (`application_name`). It shows whether the other of two
 * models is still served.
 */
export function sessionName(model: string, schema: string, profile: ModelProfile): string {
  const named = digest(JSON.stringify([schema, profile])).slice(0, DIGEST_LENGTH);
  return `restwright ${model.slice(0, MAX_MODEL_NAME)} ${named}`;
}
