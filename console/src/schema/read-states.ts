import type { ApiStates } from './api-schema.ts';

const STATES = /^States of `([^`]+)`, the first is (.+):$/m;
const MOVES = /^- (.+?) → (.+)$/gm;

/** Reads the states from the description of a collection; null if it has none. */
export function readStates(description: string): ApiStates | null {
  const [heading, field, initial] = STATES.exec(description) ?? [];
  if (heading === undefined || field === undefined || initial === undefined) return null;
  const lines = description.slice(description.indexOf(heading) + heading.length).trimStart();
  const [list = ''] = lines.split('\n\n');
  const transitions = [...list.matchAll(MOVES)].flatMap(([, from = '', targets = '']) =>
    targets === 'nothing' ? [] : targets.split(', ').map((target) => ({ from, ...readTarget(target) })),
  );
  return { field, initial, transitions };
}

/** `CLOSED (scope products:close)` as its parts. */
function readTarget(text: string): { readonly to: string; readonly scope: string | null } {
  const [, to = text, scope = null] = /^(.*) \(scope (.+)\)$/.exec(text) ?? [];
  return { to, scope };
}
