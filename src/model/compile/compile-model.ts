import type { CompileContext } from '../document/compile-context.ts';
import { type Digest, serialize } from '../fingerprint.ts';
import type { Model } from '../model.ts';
import { deepFreeze } from '../values/deep-freeze.ts';
import { withApiKeys } from './settings/api-keys.ts';
import { checkRoles } from './settings/database-role.ts';
import { byCollection, compileResources, linkResources, type ModelCode } from './resources/compile-resources.ts';
import { withRelays } from './settings/relay-resource.ts';
import { compileSettings } from './settings/settings.ts';
import { withWebhooks } from './settings/webhooks.ts';

/**
 * Compiles a document to the frozen model, without its older versions. All problems are reported; if there are any, the
 * result must not be used.
 *
 * @param given the document, checked by the document schema
 * @param givenCode the functions of a TypeScript model
 */
export function compileModel(given: CompileContext, digest: Digest, givenCode: ModelCode): Model {
  checkRoles(given);
  const keyed = withApiKeys(given, givenCode);
  const { document, code } = withWebhooks(withRelays(keyed.document), keyed.code);
  const settings = compileSettings(document);
  const resources = linkResources(compileResources(document, code), document, code);
  const compiled = { ...settings, resources, collections: byCollection(resources), versions: [] };
  // No response depends on relays, and the URL of a broker may contain a password.
  const { relays: _relays, hold: _hold, ...events } = settings.events;
  return deepFreeze({ ...compiled, fingerprint: digest(serialize({ ...settings, events, resources })) });
}
