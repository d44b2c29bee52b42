import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeExposition } from '../../../src/observe/metrics/exposition.ts';
import { CounterFamily, HistogramFamily } from '../../../src/observe/metrics/instruments.ts';
import { mergeFamilies } from '../../../src/observe/metrics/merge-families.ts';
import { family } from '../../../src/observe/metrics/metric-family.ts';

const SIZES = { name: 'sizes_bytes', help: 'Sizes.' };

describe('the text format', () => {
  it('[OPS-2b] writes a histogram with cumulated buckets, its sum and its count', () => {
    const sizes = new HistogramFamily(SIZES, [1, 10]);
    for (const value of [0.5, 1, 1.5, 10, 11]) sizes.of([['of', 'a']]).record(value);
    assert.equal(
      writeExposition([sizes.family()]),
      '# HELP sizes_bytes Sizes.\n# TYPE sizes_bytes histogram\n' +
        'sizes_bytes_bucket{of="a",le="1"} 2\nsizes_bytes_bucket{of="a",le="10"} 4\nsizes_bytes_bucket{of="a",le="+Inf"} 5\n' +
        'sizes_bytes_sum{of="a"} 24\nsizes_bytes_count{of="a"} 5\n',
    );
  });

  it('[OPS-2b] writes histograms and values without labels', () => {
    const sizes = new HistogramFamily(SIZES, [1], [[]]);
    const text = writeExposition([sizes.family(), family({ name: 'up', help: 'Up.', type: 'gauge' }, Infinity)]);
    assert.match(
      text,
      /^sizes_bytes_bucket\{le="1"\} 0\nsizes_bytes_bucket\{le="\+Inf"\} 0\nsizes_bytes_sum 0\nsizes_bytes_count 0$/m,
    );
    assert.match(text, /^# TYPE up gauge\nup \+Inf$/m);
  });

  it('[OPS-2b] escapes label values, and leaves out empty ones', () => {
    const counts = new CounterFamily({ name: 'counts_total', help: 'Counts.' });
    counts
      .of([
        ['a', 'back\\slash "quote"\nline'],
        ['b', ''],
      ])
      .add(2);
    assert.match(writeExposition([counts.family()]), /^counts_total\{a="back\\\\slash \\"quote\\"\\nline"\} 2$/m);
  });

  it('[OPS-2b] leaves out a metric without a series', () => {
    assert.equal(writeExposition([new CounterFamily({ name: 'counts_total', help: 'Counts.' }).family()]), '');
  });

  it('[OPS-2b] bounds the series of a metric', () => {
    const counts = new CounterFamily({ name: 'counts_total', help: 'Counts.' });
    for (let at = 0; at < 20_000; at += 1) counts.of([['at', String(at)]]).add();
    assert.equal(counts.family().series.length, 10_000);
  });
});

describe('metrics of several processes', () => {
  const process = (worker: string, counted: number, seconds: number) => {
    const counts = new CounterFamily({ name: 'counts_total', help: 'Counts.' });
    counts.of([['kind', 'a']]).add(counted);
    const sizes = new HistogramFamily(SIZES, [1], [[]]);
    sizes.of([]).record(counted);
    const cpu = family({ name: 'cpu_seconds_total', help: 'Time.', type: 'counter', merge: 'each' }, seconds);
    const up = family({ name: 'up', help: 'Up.', type: 'gauge', merge: 'max' }, counted > 1 ? 1 : 0);
    return { worker, families: [counts.family(), sizes.family(), cpu, up] };
  };

  it('[OPS-2b] are added up, but for those that each process has for itself', () => {
    const text = writeExposition(mergeFamilies([process('0', 1, 10), process('1', 2, 20)]));
    assert.match(text, /^counts_total\{kind="a"\} 3$/m);
    assert.match(
      text,
      /^sizes_bytes_bucket\{le="1"\} 1\nsizes_bytes_bucket\{le="\+Inf"\} 2\nsizes_bytes_sum 3\nsizes_bytes_count 2$/m,
    );
    assert.match(text, /^cpu_seconds_total\{worker="0"\} 10\ncpu_seconds_total\{worker="1"\} 20$/m);
    assert.match(text, /^up 1$/m);
    assert.equal(text.match(/^# TYPE/gm)?.length, 4);
  });
});
