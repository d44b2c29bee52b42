import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { describe, it, type TestContext } from 'node:test';
import type { Visibility } from '../../src/plan/plan.ts';
import type { RowReader } from '../../src/stores/store.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

const root = path.join(import.meta.dirname, '..', '..');

/** The input of a reading method: its plan, or each row of a list. */
type PlanOf<M extends keyof RowReader> = Parameters<RowReader[M]>[0] extends readonly (infer Each)[]
  ? Each
  : Parameters<RowReader[M]>[0];

/** True if a type requires a visibility; `false` also where it is optional. */
type RequiresVisibility<Plan> = Plan extends { readonly visible: Visibility } ? true : false;

/** Does not compile if a method reads without a visibility, or has no line here. */
const READS: { readonly [M in keyof RowReader]: RequiresVisibility<PlanOf<M>> & true } = {
  item: true,
  wasVisible: true,
  list: true,
  lookup: true,
  related: true,
  missingAncestor: true,
  missingReferences: true,
};

/** Plans by type, complete except for their visibility. */
const PLANS: Readonly<Record<string, string>> = {
  ItemPlan: `kind: 'item', resource: 'notes', id: 'a', within: []`,
  ListPlan: `kind: 'list', resource: 'notes', within: [], filter: [], order: [], window: { kind: 'offset', offset: 0, limit: 1 }, count: { kind: 'none' }, effort: 'light'`,
  LookupPlan: `resource: 'notes', rows: []`,
  RelatedPlan: `resource: 'notes', field: 'note_id', owners: [], order: [], limit: 1`,
  VisibleAncestor: `resource: 'notes', id: 'a'`,
  VisibleReference: `resource: 'notes', id: 'a', within: []`,
};

/** The errors of the compiler for constants of each type, one line each. @param more further members of each */
function compilerErrors(context: TestContext, more: string): readonly string[] {
  const plans = JSON.stringify(path.join(root, 'src', 'plan', 'plan.ts'));
  const file = path.join(temporaryDirectory(context), 'plans.ts');
  const constants = Object.entries(PLANS).map(
    ([type, members]) => `export const a${type}: plans.${type} = { ${members}${more} };`,
  );
  writeFileSync(file, [`import * as plans from ${plans};`, ...constants].join('\n'));
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--target', 'es2025'];
  const modules = ['--module', 'nodenext', '--allowImportingTsExtensions', '--types', 'node'];
  const { stdout } = spawnSync(process.execPath, [tsc, ...options, ...modules, file], { cwd: root, encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.includes('error TS'));
}

describe('a plan that reads rows', () => {
  it('[AUTH-5a] does not compile without a visibility', (context) => {
    assert.deepEqual(
      compilerErrors(context, '').map((line) =>
        /error (TS\d+): Property '(\w+)' is missing .* type '(\w+)'\.$/.exec(line)?.slice(1),
      ),
      Object.keys(PLANS).map((type) => ['TS2741', 'visible', type]),
    );
  });

  it('[AUTH-5a] compiles with one', (context) => {
    assert.deepEqual(compilerErrors(context, ', visible: plans.EVERYTHING'), []);
  });

  it('[AUTH-5a] is the parameter of every method that reads rows', () => {
    assert.ok(Object.values(READS).every((requires) => requires));
  });
});
