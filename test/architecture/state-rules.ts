import type { Finding } from './finding.ts';
import { findFolder, processState, stateFolder } from './layout.ts';
import type { Source } from './source.ts';

/**
 * Finds state of modules in src/: two APIs in one process would share it, and one could decide what the other does.
 * Memoized pure functions of `cache/memoize.ts` are none.
 */
export function stateFindings({ path, state }: Source): readonly Finding[] {
  if (findFolder(path)?.name === stateFolder || processState[path] !== undefined) return [];
  return state.map(({ name, line }) => ({
    file: path,
    line,
    rule: 'state',
    message: `${name}: state of a module is shared by every API of the process; let the composition root create it, or use ${stateFolder}/memoize.ts for a pure function`,
  }));
}
