import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CONTENDERS } from '../../bench/compare/contenders.ts';
import { WORKLOADS } from '../../bench/compare/workloads.ts';

const ids = Array.from({ length: 100_000 }, (_, index) => `id-${index}`);

describe('the pages that do not repeat', () => {
  for (const work of WORKLOADS.filter(({ id }) => id === 'pages' || id === 'filtered-pages')) {
    for (const { name, dialect } of CONTENDERS) {
      it(`are each another among all rows: ${work.id}, ${name}`, async () => {
        const requests = await work.requests({ dialect, ids, port: 0 });
        assert.equal(new Set(requests.map(({ path }) => path)).size, ids.length);
      });
    }
  }
});
