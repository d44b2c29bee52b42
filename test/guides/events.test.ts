import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { printedByClient } from './guide-module.ts';
import { blocksOf, textOf } from './guide-pages.ts';

const [model = '', poller = '', client = ''] = blocksOf(textOf('docs/guides/events.md'), 'ts');

/** The comments of the calls that print. */
function promised(code: string): readonly string[] {
  return [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, comment = '']) => comment);
}

describe('the guide to events', () => {
  it('[EVT-8a] has a program that polls the log, and gets each event once', async (context) => {
    for (const limit of ['limit=100', 'limit=1']) {
      const printed = await printedByClient(context, { model, client: poller.replace('limit=100', limit) });
      assert.deepEqual(printed, promised(poller), limit);
    }
  });

  it('has a reader of the feed that prints what its comment says', async (context) => {
    const printed = await printedByClient(context, { model, client });
    assert.deepEqual(printed, promised(client));
  });
});
