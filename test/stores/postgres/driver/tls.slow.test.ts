import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import type { SessionSettings } from '../../../../src/stores/postgres/driver/pg.ts';
import { openSession } from '../../../../src/stores/postgres/connection/open-session.ts';
import { openPostgres } from '../../../../src/stores/postgres/postgres-store.ts';
import { UnusableDatabase } from '../../../../src/stores/sql/schema/schema-errors.ts';
import { sampleModel } from '../../../../store-suite/sample-model.ts';
import { startOwnPostgres } from '../../../postgres-server.ts';
import { createAuthority, readPem } from './authority.ts';
import { freePort } from '../../../free-port.ts';

const SETTINGS: SessionSettings = { name: 'test', statementTimeout: 0, lockTimeout: 0, readOnly: true };

/**
 * The rules of the users: `shop` only encrypted, `certified` with a certificate of its name, `plain` as it likes,
 * `unencrypted` not encrypted.
 */
const RULES = `
local all all trust
hostssl all shop 127.0.0.1/32 trust
hostssl all certified 127.0.0.1/32 cert
host all plain 127.0.0.1/32 trust
hostnossl all unencrypted 127.0.0.1/32 trust
`;

const folder = mkdtempSync(path.join(tmpdir(), 'restwright-'));
const [authority, other] = ['ca', 'other'].map((name) => createAuthority(path.join(folder, name)));
assert.ok(authority !== undefined && other !== undefined);
const { cert, key } = readPem(authority.issue('server', ['DNS:localhost']));
const client = authority.issue('certified');
const port = await freePort();
const ports = ['listen_addresses=127.0.0.1', `port=${port}`];
const server = await startOwnPostgres(null, {
  settings: [...ports, 'ssl=on', 'ssl_ca_file=ca.pem'],
  files: {
    'server.crt': cert,
    'server.key': key,
    'ca.pem': readFileSync(authority.file, 'utf8'),
    'pg_hba.conf': RULES,
  },
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** The URL of the server by TCP. */
function writeUrl(user: string, host: string, parameters: Readonly<Record<string, string>>): string {
  return `postgres://${user}@${host}:${port}/postgres?${new URLSearchParams(parameters).toString()}`;
}

/** Checks if a session is encrypted. */
async function isEncrypted(url: string): Promise<boolean> {
  const session = await openSession({ url }, SETTINGS);
  try {
    const { rows } = await session.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
    return rows[0]?.['ssl'] === 1;
  } finally {
    await session.close();
  }
}

async function problem(url: string): Promise<string> {
  try {
    await isEncrypted(url);
  } catch (error) {
    if (error instanceof UnusableDatabase) return error.message;
    throw error;
  }
  return assert.fail(`${url} was connected to`);
}

{
  const admin = await openSession(
    {
      url: `postgres://postgres@localhost:${port}/postgres?host=${encodeURIComponent(new URL(server.url('x')).searchParams.get('host') ?? '')}`,
    },
    { ...SETTINGS, readOnly: false },
  );
  for (const user of ['shop', 'certified', 'plain', 'unencrypted'])
    await admin.script(`create role ${user} login superuser`);
  await admin.close();
}

describe('the encryption of sessions, by sslmode', () => {
  for (const [user, host, parameters, encrypted] of [
    ['plain', 'localhost', { sslmode: 'disable' }, false],
    ['plain', 'localhost', { sslmode: 'prefer' }, true],
    ['plain', 'localhost', { sslmode: 'require' }, true],
    ['shop', '127.0.0.1', { sslmode: 'require' }, true],
    ['shop', '127.0.0.1', { sslmode: 'verify-ca', sslrootcert: authority.file }, true],
    ['shop', '127.0.0.1', { sslmode: 'require', sslrootcert: authority.file }, true],
    ['shop', 'localhost', { sslmode: 'verify-full', sslrootcert: authority.file }, true],
    [
      'certified',
      'localhost',
      { sslmode: 'verify-full', sslrootcert: authority.file, sslcert: client.cert, sslkey: client.key },
      true,
    ],
  ] as const) {
    const options = Object.keys(parameters).slice(1).join(', ');
    it(`[OPS-4b] ${user}@${host}, ${parameters.sslmode}${options === '' ? '' : ` with ${options}`}: ${encrypted ? '' : 'not '}encrypted`, async () => {
      assert.equal(await isEncrypted(writeUrl(user, host, parameters)), encrypted);
    });
  }

  for (const [what, url, message] of [
    [
      'a certificate of another name',
      writeUrl('shop', '127.0.0.1', { sslmode: 'verify-full', sslrootcert: authority.file }),
      /^postgres:\S+ cannot be opened: its certificate is not for 127\.0\.0\.1\. Connect by a name of the certificate, or add sslmode=verify-ca to the URL, which accepts any name \(.*\)\.$/,
    ],
    [
      'a certificate of another CA',
      writeUrl('shop', 'localhost', { sslmode: 'verify-full', sslrootcert: other.file }),
      /cannot be opened: its certificate is not of a known CA\. Name the file with the certificates of its CA: sslrootcert=FILE\.$/,
    ],
    [
      'a certificate of a CA of its own',
      writeUrl('shop', 'localhost', { sslmode: 'verify-full' }),
      /not of a known CA/,
    ],
    [
      'another CA, whatever the name',
      writeUrl('shop', '127.0.0.1', { sslmode: 'verify-ca', sslrootcert: other.file }),
      /not of a known CA/,
    ],
    [
      'another CA that sslmode=require names',
      writeUrl('shop', '127.0.0.1', { sslmode: 'require', sslrootcert: other.file }),
      /not of a known CA/,
    ],
    [
      'a server that requires encryption',
      writeUrl('shop', 'localhost', { sslmode: 'disable' }),
      /no encryption\. Add sslmode=require to the URL/,
    ],
    [
      'a server that requires a certificate',
      writeUrl('certified', 'localhost', { sslmode: 'require' }),
      /valid client certificate\. Add sslcert=FILE and sslkey=FILE to the URL\.$/,
    ],
  ] as const) {
    it(`[OPS-4b] is refused with cause and fix: ${what}`, async () => assert.match(await problem(url), message));
  }

  it('[OPS-4b] serves a model by verify-full', async () => {
    const url = writeUrl('shop', 'localhost', {
      sslmode: 'verify-full',
      sslrootcert: authority.file,
      schema: 'encrypted',
    });
    const store = await openPostgres({ url, model: sampleModel() });
    await store.ping();
    await store.close();
  });
});

describe('a server that does not encrypt', () => {
  it('[OPS-4b] is used with sslmode=prefer, and refused with all that are stricter', async () => {
    const plainPort = await freePort();
    const plain = await startOwnPostgres(null, { settings: ['listen_addresses=127.0.0.1', `port=${plainPort}`] });
    try {
      const url = (sslmode: string): string => `postgres://postgres@localhost:${plainPort}/postgres?sslmode=${sslmode}`;
      assert.equal(await isEncrypted(url('prefer')), false);
      for (const sslmode of ['require', 'verify-ca', 'verify-full'])
        assert.match(
          await problem(url(sslmode)),
          /it does not encrypt\. Turn on ssl in the server, or add sslmode=disable to the URL\.$/,
        );
    } finally {
      await plain.stop();
    }
  });
});
