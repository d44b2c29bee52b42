import assert from 'node:assert/strict';
import { chmodSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { describe, it } from 'node:test';
import { openSqlite } from '../../../src/stores/sqlite/sqlite-store.ts';
import { sampleModel } from '../../../store-suite/sample-model.ts';
import { commit, createProduct } from '../../../store-suite/sample-writes.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { driverName } from './driver-under-test.ts';

const modes = (folder: string): readonly string[] =>
  readdirSync(folder)
    .toSorted()
    .map((name) => `${name} ${(statSync(path.join(folder, name)).mode & 0o777).toString(8)}`);

describe('the files of a new database', { skip: process.platform === 'win32' }, () => {
  it('[OPS-4a] can be read by their owner alone, also where new files could be read by everyone', async (context) => {
    const folder = temporaryDirectory(context);
    const file = path.join(folder, 'shop.db');
    const umask = process.umask(0);
    context.after(() => process.umask(umask));
    const open = () => openSqlite({ path: file, driver: driverName, model: sampleModel() });
    const store = await open();
    await commit(store, createProduct('a'));
    assert.deepEqual(modes(folder), ['shop.db 600', 'shop.db-shm 600', 'shop.db-wal 600']);
    await store.close();
    // An operator may share an existing file.
    chmodSync(file, 0o640);
    await (await open()).close();
    assert.deepEqual(modes(folder), ['shop.db 640']);
  });
});
