import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { startApi } from '../../../src/start-api.ts';
import { selectKind } from '../../../src/stores/databases/databases.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';

const nameKind = (database: string): string => selectKind(database).name;

describe('the kind of a database', () => {
  it('is PostgreSQL for its two schemes in any case, and SQLite for every other name', () => {
    for (const url of ['postgres://ann@host/shop', 'postgresql://host/shop', 'POSTGRES://host/shop'])
      assert.equal(nameKind(url), 'postgres', url);
    for (const file of ['./data/shop.db', ':memory:', 'postgres', 'postgres:/shop', 'mysql://host/shop'])
      assert.equal(nameKind(file), 'sqlite', file);
  });

  it('resolves a path, and leaves a URL as it is', () => {
    for (const [database, resolved] of [
      ['shop.db', path.resolve('shop.db')],
      ['postgres://host/../shop', 'postgres://host/../shop'],
    ] as const)
      assert.equal(selectKind(database).resolve(database), resolved);
  });

  it('hides the password of a URL, and shows a path as it is', () => {
    for (const [database, shown] of [
      ['postgres://ann:secret@host/shop', 'postgres://ann:***@host/shop'],
      ['./ann:secret@host/shop', './ann:secret@host/shop'],
    ] as const)
      assert.equal(selectKind(database).display(database), shown);
  });

  it('knows that a file is missing, and nothing of a server', () => {
    for (const [database, isMissing] of [
      [import.meta.filename, false],
      [`${import.meta.filename}.missing`, true],
      ['postgres://host.invalid/missing', false],
    ] as const)
      assert.equal(selectKind(database).isMissing(database), isMissing, database);
  });

  it('[OPS-5] has replicas only if it is PostgreSQL: a file that is started with some is refused, not created', async (test) => {
    const { model } = loadModel({ text: 'name: shop\nresources: { items: { schema: { type: object } } }\n' });
    const file = path.join(temporaryDirectory(test), 'shop.db');
    for (const database of [file, ':memory:']) {
      const started = startApi({ model, database, replicas: ['postgres://ann:secret@replica/shop'] });
      await assert.rejects(started, {
        name: 'UnusableDatabase',
        message: `${database} cannot be opened: only a database of PostgreSQL has replicas.`,
      });
    }
    assert.equal(existsSync(file), false);
    await (await startApi({ model, database: ':memory:', replicas: [] })).close();
  });
});
