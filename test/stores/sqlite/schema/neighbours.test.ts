import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe } from 'node:test';
import { createRandom } from '../../../../src/platform/random.ts';
import { planSqlite } from '../../../../src/stores/sqlite/sqlite-store.ts';
import { neighbourSuite } from '../../neighbouring-models.ts';
import { openSample } from '../open-sample.ts';
import { runs } from '../../../extent.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'restwright-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let created = 0;

describe('two models on one database of SQLite', () => {
  neighbourSuite({
    create: () => {
      created += 1;
      return path.join(folder, `${created}.db`);
    },
    open: (file, model, options) => openSample({ path: file, random: createRandom(), ...options }, model),
    plan: async (file, model, phase) => planSqlite(file, model, { phase: phase ?? null }),
    runs: runs(3, 24),
  });
});
