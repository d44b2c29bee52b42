import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Progress, formatProgress, reportProgress } from '../../../src/cli/terminal/progress.ts';

const halfway: Progress = { rows: 20_000, done: 600, start: 200, total: 1_000, elapsed: 2_000 };

function record(isTTY: boolean): { write(text: string): void; readonly isTTY: boolean; readonly written: string[] } {
  const written: string[] = [];
  return { isTTY, written, write: (text) => void written.push(text) };
}

describe('progress', () => {
  it('shows the percentage of the total, and rate and time left of this run', () => {
    assert.equal(formatProgress(halfway), '60 %, 20,000 rows, 10,000 rows/s, 2 s left');
  });

  it('shows no time left at the start', () => {
    assert.equal(formatProgress({ ...halfway, rows: 0, done: 200, elapsed: 0 }), '20 %, 0 rows, 0 rows/s');
  });

  it('shows long times in minutes and hours', () => {
    assert.match(formatProgress({ ...halfway, elapsed: 90_000 }), /1 min 30 s left$/);
    assert.match(formatProgress({ ...halfway, elapsed: 7_260_000 }), /2 h 1 min left$/);
  });

  it('updates a bar on a terminal at most ten times a second, and removes it', () => {
    const output = record(true);
    const report = reportProgress('cities', output, false);
    report.show(halfway);
    report.show({ ...halfway, elapsed: 2_050 });
    report.end();
    report.end();
    assert.deepEqual(output.written, [
      '\r\x1b[Kcities  ██████████████░░░░░░░░░░  60 %, 20,000 rows, 10,000 rows/s, 2 s left',
      '\r\x1b[K',
    ]);
  });

  it('colours the bar where colours are supported', () => {
    const output = record(true);
    reportProgress('cities', output, true).show(halfway);
    assert.ok(output.written.join('').includes(`\x1b[32m${'█'.repeat(14)}\x1b[39m░`));
  });

  it('writes a line every five seconds elsewhere', () => {
    const output = record(false);
    const report = reportProgress('cities', output, false);
    report.show(halfway);
    report.show({ ...halfway, elapsed: 5_000 });
    report.show({ ...halfway, elapsed: 6_000 });
    report.end();
    assert.deepEqual(output.written, ['cities: 60 %, 20,000 rows, 4,000 rows/s, 5 s left\n']);
  });
});
