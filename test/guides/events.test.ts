import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { printedByClient } from './guide-module.ts';
import { blocksOf, textOf } from './guide-pages.ts';

const [model = '', client = ''] = blocksOf(textOf('docs/guides/events.md'), 'ts');

describe('the guide to events', () => {
  it('has a reader of the feed that prints what its comment says', async (context) => {
    const printed = await printedByClient(context, { model, client });
    assert.deepEqual(printed, [/console\.log\(.*\); \/\/ (.*)$/m.exec(client)?.[1]]);
  });
});
