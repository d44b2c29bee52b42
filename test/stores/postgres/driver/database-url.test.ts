import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import {
  displayedUrl,
  InvalidDatabaseUrl,
  parseDatabaseUrl,
} from '../../../../src/stores/postgres/driver/database-url.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';

describe('the URL of a database of PostgreSQL', () => {
  it('[OPS-4b] names user, host, port, database and schema', () => {
    const url = parseDatabaseUrl('postgresql://shop%40x@db.example.com:6543/shop%20db?schema=one', undefined);
    assert.deepEqual(url, {
      host: 'db.example.com',
      port: 6_543,
      database: 'shop db',
      user: 'shop@x',
      password: null,
      schema: 'one',
      pooler: null,
      sslMode: 'verify-full',
      authority: null,
      identity: null,
    });
  });

  for (const [what, text, sslMode] of [
    ['another machine is known by its certificate', 'postgres://u@db.example.com/d', 'verify-full'],
    ['a private address is another machine', 'postgres://u@10.0.0.1/d', 'verify-full'],
    ['this machine needs no encryption', 'postgres://u@127.0.0.1/d', 'disable'],
    ['this machine needs no encryption by name', 'postgres://u@localhost/d', 'disable'],
    ['this machine needs no encryption by IPv6', 'postgres://u@[::1]/d', 'disable'],
    ['a socket needs no encryption', 'postgres://u@localhost/d?host=/run/postgresql', 'disable'],
    ['the URL says otherwise', 'postgres://u@db.example.com/d?sslmode=require', 'require'],
    ['a socket is never encrypted', 'postgres://u@localhost/d?host=/run/postgresql&sslmode=require', 'disable'],
  ] as const) {
    it(`[OPS-4b] ${what}`, () => assert.equal(parseDatabaseUrl(text, undefined).sslMode, sslMode));
  }

  it('[OPS-4b] reads the certificates of the CA', (context) => {
    const file = path.join(temporaryDirectory(context), 'ca.pem');
    writeFileSync(file, 'certificates');
    const url = `postgres://u@db.example.com/d?sslrootcert=${encodeURIComponent(file)}`;
    assert.equal(parseDatabaseUrl(url, undefined).authority, 'certificates');
    assert.throws(() => parseDatabaseUrl(`${url}.other`, undefined), InvalidDatabaseUrl);
  });

  it('[OPS-4b] has its password replaced by one that is given, and never shows it', () => {
    const text = 'postgres://u:se%2Fcret@db.example.com/d';
    assert.equal(parseDatabaseUrl(text, undefined).password, 'se/cret');
    assert.equal(parseDatabaseUrl(text, 'other').password, 'other');
    assert.equal(displayedUrl(text), 'postgres://u:***@db.example.com/d');
  });

  for (const text of [
    'postgres://u:secret@host',
    'postgres://u:secret@host/',
    'postgres://u:secret@host:99999/d',
    'postgres://u:secret@host/d?sslmode=allow',
    'postgres://u:secret@host/d?sslcert=/etc/cert.pem',
    'postgres://u:secret@host/d?schema=Shop',
    'postgres://u:secret@host/d?schema=a%22b',
    'postgres://u:secret@host/d?options=-c',
    'postgres://u:secret%@host/d',
    'postgres://u%zz:secret@host/d',
  ]) {
    it(`[OPS-4b] ${text} is refused, without its password`, () => {
      assert.throws(
        () => parseDatabaseUrl(text, undefined),
        (error) => error instanceof InvalidDatabaseUrl && !error.message.includes('secret'),
      );
    });
  }
});
