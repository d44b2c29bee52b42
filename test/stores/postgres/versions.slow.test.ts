import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openPostgres } from '../../../src/stores/postgres/postgres-store.ts';
import { openSession } from '../../../src/stores/postgres/connection/open-session.ts';
import { eventSuite } from '../../../store-suite/event-suite.ts';
import { readSuite } from '../../../store-suite/read-suite.ts';
import { searchSuite } from '../../../store-suite/search-suite.ts';
import { writeSuite } from '../../../store-suite/write-suite.ts';
import { skipWithoutFile } from '../../installed-programs.ts';
import { type ControlledPostgres, linkLibraries, startOwnPostgres } from '../../postgres-server.ts';

const installed = path.join(import.meta.dirname, '..', '..', '..', '.cache', 'postgres', 'node_modules');

/** The folders of the programs of each version, but for 18, on which all other tests run. */
const VERSIONS: readonly (readonly [version: number, programs: string])[] = [
  [15, '/usr/lib/postgresql/15/bin'],
  [16, path.join(installed, 'postgres-16', 'native', 'bin')],
  [17, path.join(installed, 'postgres-17', 'native', 'bin')],
];

for (const [version, programs] of VERSIONS) {
  describe(`PostgreSQL ${version}`, {
    skip: skipWithoutFile(path.join(programs, 'postgres'), `PostgreSQL ${version} is`),
  }, () => {
    let server: ControlledPostgres;
    let opened = 0;
    before(async () => {
      if (programs.startsWith(installed)) linkLibraries(path.dirname(path.dirname(programs)));
      server = await startOwnPostgres(null, { programs });
    });
    after(() => server.stop());

    const newUrl = (): string => {
      opened += 1;
      return server.url(`version_${opened}`);
    };

    it('[OPS-4b] is that version', async () => {
      const settings = { name: 'test', statementTimeout: 0, lockTimeout: 0, readOnly: true };
      const session = await openSession({ url: newUrl() }, settings);
      const [row] = await session.script(`select current_setting('server_version_num') as version`);
      assert.equal(Math.floor(Number(row?.['version']) / 10_000), version);
      await session.close();
    });

    for (const suite of [readSuite, searchSuite, writeSuite, eventSuite]) {
      suite(`PostgreSQL ${version}`, (model) =>
        openPostgres({
          url: newUrl(),
          model,
          clock: { now: () => 1 },
          random: { hex: (bytes) => '5a'.repeat(bytes) },
        }));
    }
  });
}
