import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseArguments } from '../../bench/compare/arguments.ts';
import { chart } from '../../bench/compare/chart.ts';
import { formatCount, Footnotes, markdownTable } from '../../bench/compare/table.ts';

describe('the arguments of a run', () => {
  it('select everything by default; only a complete run at full length is complete', () => {
    assert.equal(parseArguments([]).complete, true);
    assert.equal(parseArguments(['--quick']).complete, false);
    assert.deepEqual(parseArguments(['page', '--quick']), {
      selected: new Set(['page']),
      quick: true,
      complete: false,
    });
  });

  it('reject an unknown workload and list the known ones', () => {
    assert.throws(() => parseArguments(['pgae', 'page']), /^Error: pgae: unknown workload. Known workloads: by-id /);
  });
});

describe('the results of a run', () => {
  it('are a table with right-aligned numbers, or an empty string without rows', () => {
    assert.equal(
      markdownTable(['work', '/s'], [['read', formatCount(12_345.6)]]),
      '| work | /s |\n| --- | ---: |\n| read | 12,346 |',
    );
    assert.equal(markdownTable(['work', '/s'], []), '');
  });

  it('number each footnote once', () => {
    const notes = new Footnotes();
    const marks = ['no tag', 'no PATCH', 'no tag'].map((note) => notes.mark(note));
    assert.deepEqual(marks, ['<sup>1</sup>', '<sup>2</sup>', '<sup>1</sup>']);
    assert.equal(notes.toMarkdown(), '1. no tag\n2. no PATCH');
  });

  it('scale each bar to the longest of its group and escape names', () => {
    const bars = [
      { name: 'a<b', value: 1_000, highlighted: true },
      { name: 'c', value: 250, highlighted: false },
    ];
    const picture = chart([{ title: 'read', bars }], 'speeds');
    const widths = [...picture.matchAll(/<rect[^>]* width="(\d+)"/g)].map(([, width]) => Number(width));
    assert.deepEqual([widths.length, (widths[0] ?? 0) / (widths[1] ?? 1)], [2, 4]);
    assert.match(picture, />a&lt;b</);
  });
});
