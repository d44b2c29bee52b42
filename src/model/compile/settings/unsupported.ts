import { isJsonObject, type Json, type JsonObject } from '../../../conventions/json/json.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import { arrayOf, objectOf, stringsOf } from '../../values/access.ts';
import { formatPath, type Path } from '../../values/path.ts';
import { OPAQUE_ORIGIN } from './cors.ts';

type Section = readonly [path: Path, declared: Json | undefined];

/** One line for each declared section that this version does not support yet and can ignore safely. */
export function unsupportedSections(document: JsonObject): readonly string[] {
  const events = objectOf(document['events']);
  const sections: Section[] = [...opaqueOrigins(document['cors']), [['events', 'relays'], events['relays']]];
  return sections
    .filter(([, declared]) => declared !== undefined && declared !== false)
    .map(([path]) => `${formatPath(path)}: declared, but not supported yet`);
}

/** `null` is what every sandboxed frame and local file sends: it names no origin that could be allowed. */
function opaqueOrigins(cors: Json | undefined): readonly Section[] {
  return stringsOf(objectOf(cors)['origins']).flatMap((origin, index): readonly Section[] =>
    origin === OPAQUE_ORIGIN ? [[['cors', 'origins', index], origin]] : [],
  );
}

/** Reports what cannot be ignored without `auth`: data would be exposed. */
export function rejectUnsupported({ declared: document, report }: CompileContext): void {
  for (const [path, resource] of listDeclaredResources(document)) {
    for (const [step, target] of document['auth'] === undefined ? listDeclaredTransitions(resource) : []) {
      if (!isJsonObject(target)) continue;
      const at = [...path, 'state', 'transitions', ...step, 'scope'];
      if (target['scope'] === undefined) continue;
      report(at, 'a scope needs auth: without it no caller has scopes', 'remove it, or declare auth');
    }
  }
}

function listDeclaredResources(document: JsonObject): readonly (readonly [Path, JsonObject])[] {
  return Object.entries(objectOf(document['resources'])).map(([name, resource]) => [
    ['resources', name],
    objectOf(resource),
  ]);
}

function listDeclaredTransitions(resource: JsonObject): readonly (readonly [Path, Json])[] {
  const transitions = objectOf(objectOf(resource['state'])['transitions']);
  return Object.entries(transitions).flatMap(([from, targets]) =>
    arrayOf(targets).map((target, index) => [[from, index], target] as const),
  );
}
