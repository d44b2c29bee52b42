import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { after, describe, it } from 'node:test';
import { parseDatabaseUrl } from '../../../../src/stores/postgres/driver/database-url.ts';
import { connectPostgres } from '../../../../src/stores/postgres/driver/pg.ts';
import { PostgresSchemas } from '../../../postgres-schemas.ts';
import { startPostgres } from '../../../postgres-server.ts';

const server = await startPostgres();
const schemas = new PostgresSchemas();
const url = server.url(schemas.name('iteration'));
after(async () => {
  await schemas.drop(url);
  await server.stop();
});

/** A program that changes the row, and has committed when it ends. */
const WRITER = `
const { Client } = require('pg');
const url = new URL(process.argv[1]);
const schema = url.searchParams.get('schema');
url.searchParams.delete('schema');
const client = new Client({ connectionString: url.href });
client.connect().then(() => client.query(\`update "\${schema}".counter set value = value + 1\`)).then(() => client.end());
`;

describe('a session of PostgreSQL', () => {
  it('[OPS-5] sends the reads of an iteration at its end: they see what was acknowledged to a later request of it', async () => {
    const settings = { name: 'test', statementTimeout: 5_000, lockTimeout: 5_000, readOnly: false };
    const parsed = parseDatabaseUrl(url, undefined);
    const session = await connectPostgres(parsed, settings);
    await session.script(
      `create schema if not exists ${parsed.schema}; create table counter (value integer); insert into counter values (0)`,
    );
    const read = session.query('select value from counter');
    await new Promise<void>((resolve) => process.nextTick(resolve));
    // The iteration lasts until the writer has committed: no other callback runs.
    execFileSync(process.execPath, ['-e', WRITER, url]);
    assert.deepEqual((await read).rows, [{ value: 1 }]);
    await session.close();
  });
});
