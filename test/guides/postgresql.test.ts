import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { IS_OF_WRITES } from '../../src/stores/postgres/commit/write-locks.ts';
import { readBlocks, readPage } from './guide-pages.ts';

const [, table = assert.fail()] =
  /^## What scales with what$([^]*?)^## /m.exec(readPage('docs/guides/postgresql.md')) ?? [];

describe('what scales with what, in the guide to PostgreSQL', () => {
  it('[OPS-5] has figures of the benchmark and of the alerts alone', () => {
    const known = readPage('bench/postgres/README.md') + readPage('examples/monitoring/alerts.yml');
    const figures = table.match(/(?<![\w.])\d[\d,.]*\d(?!\w)/g) ?? [];
    assert.ok(figures.length >= 5);
    const unknown = figures.filter((figure) => !known.includes(figure));
    assert.deepEqual(unknown, []);
  });

  it('[OPS-2b] names metrics that a server has', () => {
    const known = readPage('docs/guides/observing.md');
    const metrics = table.match(/\b(?:restwright|nodejs)_\w+/g) ?? [];
    assert.ok(metrics.length >= 8);
    assert.deepEqual(
      metrics.filter((metric) => !known.includes(`\`${metric}\``)),
      [],
    );
  });
});

describe('the query of sessions that write, in the guide to PostgreSQL', () => {
  it('looks for the lock that all of them hold', () => {
    const [query = assert.fail()] = readBlocks(readPage('docs/guides/postgresql.md'), 'sql');
    const [, lock = assert.fail()] = /classid = (\d+)/.exec(IS_OF_WRITES) ?? [];
    assert.ok(query.includes(`locktype = 'advisory' and classid = ${lock} and granted`), query);
  });
});
