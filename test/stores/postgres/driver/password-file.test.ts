import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { databaseLocation, usedDatabase } from '../../../../src/cli/database-settings.ts';
import { InvalidDatabaseUrl, parseDatabaseUrl } from '../../../../src/stores/postgres/driver/database-url.ts';
import { passwordFor } from '../../../../src/stores/postgres/driver/database-url.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';

const TARGET = { host: 'db.example.com', port: 5_432, database: 'shop', user: 'u' };

describe('a password file of libpq', () => {
  for (const [what, text, password] of [
    ['names all of a database', 'db.example.com:5432:shop:u:secret', 'secret'],
    ['may leave fields open', '# a comment\n\n*:*:*:u:secret\n', 'secret'],
    ['has its first line that matches decide', 'other:*:*:*:a\n*:5432:*:*:b\n*:*:*:*:c', 'b'],
    ['escapes colons and backslashes', String.raw`*:*:*:*:a\:b\\c`, String.raw`a:b\c`],
    ['may end lines as Windows does', '*:*:*:*:a\r\n', 'a'],
    ['may have no line for a database', 'db.example.com:5433:shop:u:a\n*:*:*', null],
  ] as const) {
    it(`[OPS-4b] ${what}`, () => assert.equal(passwordFor(TARGET, text), password));
  }

  it('[OPS-4b] has a line for sockets', () => {
    const target = { ...TARGET, host: '/run/postgresql' };
    assert.equal(passwordFor(target, 'localhost:*:*:*:a'), 'a');
    assert.equal(passwordFor(target, '/run/postgresql:*:*:*:b'), 'b');
  });

  it('[OPS-4b] is named by the URL or by PGPASSFILE, and must not be readable by others', (context) => {
    const file = path.join(temporaryDirectory(context), 'pass word');
    writeFileSync(file, '*:*:*:*:secret\n', { mode: 0o600 });
    const url = 'postgres://u@db.example.com/shop';
    const named = `${url}?passfile=${encodeURIComponent(file)}`;
    assert.equal(parseDatabaseUrl(named, undefined).password, 'secret');
    const { database } = usedDatabase(databaseLocation({ database: url }, { PGPASSFILE: file }), 'shop');
    assert.equal(parseDatabaseUrl(database, undefined).password, 'secret');
    assert.equal(parseDatabaseUrl(named.replace('u@', 'u:own@'), undefined).password, 'own');
    chmodSync(file, 0o640);
    assert.throws(
      () => parseDatabaseUrl(named, undefined),
      (error) => error instanceof InvalidDatabaseUrl && /can be read by other users: run chmod 600/.test(error.message),
    );
  });

  it('[OPS-4b] PGPASSWORD is used where neither the URL nor another variable has one', () => {
    const used = (url: string, env: Record<string, string>): string | undefined =>
      usedDatabase(databaseLocation({ database: url }, { PGPASSWORD: 'libpq', ...env }), 'shop').databasePassword;
    assert.equal(used('postgres://u@h/d', {}), 'libpq');
    assert.equal(used('postgres://u:own@h/d', {}), undefined);
    assert.equal(used('postgres://u@h/d', { RESTWRIGHT_DATABASE_PASSWORD: 'ours' }), 'ours');
  });
});
