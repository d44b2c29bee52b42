import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OPERATORS } from '../../src/model/operators.ts';
import { printedByClient } from './guide-module.ts';
import { readBlocks, readCodes, readRows, readPage } from './guide-pages.ts';

const guide = readPage('docs/guides/client.md');
const [model = '', ...samples] = readBlocks(guide, 'ts');

/** The output of the samples, as their comments say. */
function expectedLines(): readonly string[] {
  return samples
    .join('')
    .split('\n')
    .flatMap((line) => /^(?:.*console\.log\(.*\); )?\/\/ (.*)$/.exec(line)?.slice(1) ?? [])
    .filter((line) => !line.endsWith('.mts'));
}

describe('the guide to the client', () => {
  it('has samples that print what their comments say', async (context) => {
    const printed = await printedByClient(context, { model, client: samples.join('\n') });
    assert.deepEqual(printed, expectedLines());
    assert.ok(printed.length > 10);
  });

  it('[QRY-1] shows every operator', () => {
    const shown = readRows(guide, '## Collections')
      .flatMap((cells) => cells.flatMap(readCodes))
      .join(' ');
    for (const operator of OPERATORS) assert.match(shown, new RegExp(`\\b${operator}\\b`));
  });
});
