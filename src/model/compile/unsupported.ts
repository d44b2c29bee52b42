import { isJsonObject, type Json, type JsonObject } from '../../conventions/json.ts';
import type { CompileContext } from '../document/compile-context.ts';
import { listOf, objectOf } from '../values/access.ts';
import { formatPath, type Path } from '../values/path.ts';

type Section = readonly [path: Path, declared: Json | undefined];

const UNSUPPORTED_KEYS = ['tombstones', 'generated'];

/** One line for each declared section that a later version serves and that this one may leave out without harm, with its path. */
export function unsupportedSections(document: JsonObject): readonly string[] {
  const limits = objectOf(document['limits']);
  const events = objectOf(document['events']);
  const sections: Section[] = [
    [['trusted_proxies'], document['trusted_proxies']],
    [['cors'], document['cors']],
    [['limits', 'rate'], limits['rate']],
    [['events', 'retention'], events['retention']],
    [['events', 'relays'], events['relays']],
    [['webhooks'], document['webhooks']],
    [['system'], document['system']],
    ...resourcesOf(document).flatMap(([path, resource]) =>
      UNSUPPORTED_KEYS.map((key): Section => [[...path, key], resource[key]]),
    ),
  ];
  return sections
    .filter(([, declared]) => declared !== undefined && declared !== false)
    .map(([path]) => `${formatPath(path)}: declared, not served yet`);
}

/** Announces what this version does not serve and cannot pass over: without it data would be open, or the contract another. */
export function rejectUnsupported({ declared: document, report }: CompileContext): void {
  const refuse = (path: Path, declared: Json | undefined, reason: string): void => {
    if (declared === undefined || declared === false) return;
    report(
      path,
      `${String(path.findLast((step) => typeof step === 'string'))} is not served yet, ${reason}`,
      'remove it, or wait for the version that serves it',
    );
  };
  refuse(['auth'], document['auth'], 'and without it everybody may call');
  refuse(['require_tls'], document['require_tls'], 'and without it requests in the clear would be answered');
  refuse(['versions'], document['versions'], 'and without it older clients would get another contract');
  for (const [path, resource] of resourcesOf(document)) {
    refuse([...path, 'access'], resource['access'], 'and without it everybody may read and write');
    for (const [step, move] of transitionsOf(resource)) {
      if (isJsonObject(move)) {
        refuse(
          [...path, 'state', 'transitions', ...step, 'scope'],
          move['scope'],
          'and without it everybody may make the move',
        );
      }
    }
    rejectShownOnce(resource['schema'], [...path, 'schema'], refuse);
  }
}

function rejectShownOnce(
  schema: Json | undefined,
  path: Path,
  refuse: (path: Path, declared: Json | undefined, reason: string) => void,
): void {
  for (const [name, field] of Object.entries(objectOf(objectOf(schema)['properties']))) {
    refuse(
      [...path, 'properties', name, 'x-shown-once'],
      objectOf(field)['x-shown-once'],
      'and without it every answer would show the value',
    );
  }
}

function resourcesOf(document: JsonObject): readonly (readonly [Path, JsonObject])[] {
  return Object.entries(objectOf(document['resources'])).map(([name, resource]) => [
    ['resources', name],
    objectOf(resource),
  ]);
}

function transitionsOf(resource: JsonObject): readonly (readonly [Path, Json])[] {
  const transitions = objectOf(objectOf(resource['state'])['transitions']);
  return Object.entries(transitions).flatMap(([from, targets]) =>
    listOf(targets).map((target, index) => [[from, index], target] as const),
  );
}
