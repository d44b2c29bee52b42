import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeRun, selectSecondRuns } from '../../scripts/second-chance.ts';

const [SLOW, OTHER, DAILY] = ['/a/kills.slow.test.ts', '/a/stops.slow.test.ts', '/a/slow.test.ts'];

describe('the second chance of a test file', () => {
  it('is for slow files alone', () => {
    const failed = [SLOW, DAILY, OTHER].map((file) => ({ file, errors: ['first'] }));
    assert.deepEqual(selectSecondRuns(failed, true), [SLOW, OTHER]);
  });

  it('is for CI alone', () => {
    assert.deepEqual(selectSecondRuns([{ file: SLOW, errors: ['first'] }], false), []);
  });

  it('makes a file flaky that fails once, and keeps the error of that run', () => {
    const failure = { file: SLOW, errors: ['first'] };
    assert.deepEqual(judgeRun([failure], new Map([[SLOW, []]])), { failed: [], flaky: [failure] });
  });

  it('leaves a file failed that fails twice, with the error of its last run', () => {
    const verdict = judgeRun([{ file: SLOW, errors: ['first'] }], new Map([[SLOW, ['second']]]));
    assert.deepEqual(verdict, { failed: [{ file: SLOW, errors: ['second'] }], flaky: [] });
  });

  it('leaves a file failed that did not run again', () => {
    const failure = { file: DAILY, errors: ['first'] };
    assert.deepEqual(judgeRun([failure], new Map()), { failed: [failure], flaky: [] });
  });

  it('judges each file by its own runs', () => {
    const first = [SLOW, OTHER, DAILY].map((file) => ({ file, errors: [file] }));
    const second = new Map([
      [SLOW, ['again']],
      [OTHER, []],
    ]);
    const { failed, flaky } = judgeRun(first, second);
    assert.deepEqual([failed.map(({ file }) => file), flaky.map(({ file }) => file)], [[SLOW, DAILY], [OTHER]]);
  });

  it('has nothing to judge where no file failed', () => {
    assert.deepEqual(judgeRun([], new Map()), { failed: [], flaky: [] });
  });
});
