import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { type OpenStore, sizedStoreSuite } from '../../../store-suite/store-suite.ts';
import { runs } from '../../extent.ts';
import { openSample } from './open-sample.ts';

const files = mkdtempSync(path.join(tmpdir(), 'restwright-'));
let opened = 0;

after(() => rmSync(files, { recursive: true, force: true }));

// Also in memory in sqlite-in-memory.slow.test.ts, and with node:sqlite in driver/other-driver.slow.test.ts.
const open: OpenStore = (model) => {
  opened += 1;
  return openSample({ path: path.join(files, `${opened}.db`) }, model);
};

sizedStoreSuite('SQLite in a file', open, runs(1, Infinity));
