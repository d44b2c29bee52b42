import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { describe, it } from 'node:test';
import { root } from '../../scripts/command.ts';
import { withoutRepeated } from '../../scripts/test-groups.ts';

const FILES = globSync('test/**/*.test.ts', { cwd: root }).toSorted();

describe('the files of a run', () => {
  it('leave out daily files whose cases the slow files next to them have, and no others', () => {
    const left = new Set(withoutRepeated(FILES));
    const repeated = FILES.filter((file) => !left.has(file));
    assert.deepEqual(
      repeated.map((file) => file.replace(/^.*\/(.*)\.test\.ts$/, '$1')),
      ['description-laws', 'collection-walks', 'row-policy-sequences', 'postgres-store'],
    );
  });

  it('are all daily files where no slow ones run', () => {
    const daily = FILES.filter((file) => !file.endsWith('.slow.test.ts'));
    assert.deepEqual(withoutRepeated(daily), daily);
  });
});
