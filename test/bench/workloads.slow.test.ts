import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CONTENDERS } from '../../bench/compare/contenders.ts';
import { WORKLOADS } from '../../bench/compare/workloads.ts';

const ids = Array.from({ length: 100_000 }, (_, index) => `id-${index}`);

describe('workloads of distinct pages', () => {
  for (const workload of WORKLOADS.filter(({ id }) => id === 'pages' || id === 'filtered-pages')) {
    for (const { name, dialect } of CONTENDERS) {
      it(`request as many distinct pages as there are rows: ${workload.id}, ${name}`, async () => {
        const requests = await workload.requests({ dialect, ids, port: 0 });
        assert.equal(new Set(requests.map(({ path }) => path)).size, ids.length);
      });
    }
  }
});
