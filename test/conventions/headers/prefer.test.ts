import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { preferenceApplied, readPrefer } from '../../../src/conventions/headers/prefer.ts';

describe('readPrefer', () => {
  const rows: readonly (readonly [text: string | null, handling: string | null, returns: string | null])[] = [
    [null, null, null],
    ['', null, null],
    ['handling=lenient', 'lenient', null],
    ['Handling = strict', 'strict', null],
    ['return=minimal', null, 'minimal'],
    ['return="representation"', null, 'representation'],
    ['return="mini\\mal"', null, 'minimal'],
    ['handling=lenient, return=minimal', 'lenient', 'minimal'],
    [', ,handling=lenient,,return=minimal,', 'lenient', 'minimal'],
    ['respond-async, wait=10, return=minimal', null, 'minimal'],
    ['foo; bar="a, return=minimal"; baz, handling=lenient', 'lenient', null],
    ['return=minimal; note="x" ;', null, 'minimal'],
    ['return; return=minimal', null, null],
    // The first occurrence counts, known or not (RFC 7240 2).
    ['return=minimal, return=representation', null, 'minimal'],
    ['return=none, return=minimal', null, null],
    ['return', null, null],
    ['return=""', null, null],
    ['return=Minimal', null, null],
    ['handling=lenient, return="open', 'lenient', null],
    ['=x, return=minimal', null, null],
  ];
  for (const [text, handling, returns] of rows) {
    it(`[REP-5] parses ${text ?? 'no field'}`, () => assert.deepEqual(readPrefer(text), { handling, return: returns }));
  }

  it('[LIM-1] reads a value in linear time: in quadratic time this would take a minute', () => {
    const blanks = '\t '.repeat(100_000);
    const hostile = [
      `a${'; '.repeat(100_000)}"`,
      `a${';b="\\"'.repeat(50_000)}`,
      `a${';b'.repeat(100_000)}=`,
      blanks,
      `a,${blanks}"`,
      `a${blanks}"`,
      `a=${blanks}"`,
      `a;${blanks}"`,
      `${blanks}a${blanks}=${blanks}b${blanks};${blanks}"`,
    ];
    const started = process.cpuUsage().user;
    for (const text of hostile) assert.deepEqual(readPrefer(text), { handling: null, return: null });
    assert.ok(process.cpuUsage().user - started < 2_000_000);
  });
});

describe('preferenceApplied', () => {
  it('[MET-8] lists the applied preferences', () => {
    assert.equal(preferenceApplied(['handling=lenient', 'return=minimal']), 'handling=lenient, return=minimal');
  });

  it('[MET-8] is omitted if none was applied', () => assert.equal(preferenceApplied([]), null));
});
