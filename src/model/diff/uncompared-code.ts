import type { Model, Resource } from '../model.ts';
import type { Hooks } from '../hooks.ts';
import type { Pair } from './comparers.ts';

/** One line for each resource that has functions in either model: they cannot be compared. */
export function uncomparedCode([was, is]: Pair<Model>): readonly string[] {
  const names = new Set([...is.resources.keys(), ...was.resources.keys()]);
  return [...names].flatMap((name) => {
    const code = new Set([was, is].flatMap((model) => listCode(model.resources.get(name), model)));
    return code.size === 0 ? [] : [`${name}: functions are not compared: ${[...code].join(', ')}`];
  });
}

/** The parts of a resource that are functions. The keys of the API have some of the program. */
function listCode(resource: Resource | undefined, { auth }: Model): readonly string[] {
  if (resource === undefined || resource.name === auth?.apiKeys) return [];
  const { computed, fields, rows, hooks } = resource;
  return [
    ...(hasHooks(hooks) ? ['hooks'] : []),
    ...(computed.length > 0 ? ['computed members'] : []),
    ...(fields.some(({ generator }) => generator?.kind === 'code') ? ['generated values'] : []),
    ...(Object.values(rows).some((rules) => rules.some(({ kind }) => kind === 'function')) ? ['row policies'] : []),
  ];
}

function hasHooks({ refine, before, check, after }: Hooks): boolean {
  const functions = [refine, ...Object.values(before), ...Object.values(after)];
  return check.size > 0 || functions.some((each) => each !== null);
}
