import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { loadDriver, type LoadDriver, selectDriver } from '../../../../src/stores/sqlite/driver/select-driver.ts';
import type { Observation } from '../../../../src/observe/observation.ts';
import { openSqlite, UnusableDatabase } from '../../../../src/stores/sqlite/sqlite-store.ts';
import { sampleModel } from '../../../../store-suite/sample-model.ts';
import { commit, createProduct, listIds, listPlan } from '../../../../store-suite/sample-writes.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';

/** Loads all drivers but some. */
const without =
  (...missing: readonly string[]): LoadDriver =>
  (name) => {
    if (missing.includes(name)) throw new Error(`no ${name} here\nRequire stack:`);
    return loadDriver(name);
  };

describe('the driver of a database', () => {
  it('is better-sqlite3 unless another one is chosen', () => {
    assert.deepEqual(
      [undefined, 'better-sqlite3', 'node'].map((name) => selectDriver(name as 'node' | undefined).driver.name),
      ['better-sqlite3', 'better-sqlite3', 'node'],
    );
  });

  it('is node:sqlite where better-sqlite3 cannot be loaded, with the error', () => {
    const { driver, replaces } = selectDriver(undefined, without('better-sqlite3'));
    assert.equal(driver.name, 'node');
    assert.match(replaces?.message ?? '', /no better-sqlite3 here/);
    assert.equal(selectDriver('node', without('better-sqlite3')).replaces, null);
  });

  it('is not replaced where it was chosen, and the error names both ways out', () => {
    assert.throws(
      () => selectDriver('better-sqlite3', without('better-sqlite3')),
      new UnusableDatabase(
        'The driver better-sqlite3 cannot be loaded: no better-sqlite3 here. Install the package better-sqlite3 for this platform, or choose the driver node.',
      ),
    );
    assert.throws(() => selectDriver(undefined, without('better-sqlite3', 'node')), /The driver node cannot be loaded/);
  });

  it('writes files that the other one reads', async (context) => {
    const file = path.join(temporaryDirectory(context), 'sample.db');
    const observed: Observation[] = [];
    const observe = (observation: Observation): void => void observed.push(observation);
    const ids: string[][] = [];
    for (const driver of ['node', 'better-sqlite3', 'node'] as const) {
      const store = await openSqlite({ path: file, model: sampleModel(), driver, observe });
      await commit(store, createProduct(`p${ids.length}`));
      ids.push([...(await listIds(store, listPlan()))].toSorted());
      await store.close();
    }
    assert.deepEqual(ids, [['p0'], ['p0', 'p1'], ['p0', 'p1', 'p2']]);
    assert.deepEqual(
      observed.map(({ kind }) => kind).filter((kind) => kind !== 'commit'),
      ['schema-changed'],
    );
  });
});
