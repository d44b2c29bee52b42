import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { run } from '../../src/cli/program.ts';
import { recordedTerminal } from '../cli/recorded-terminal.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { blocksOf, textOf } from './guide-pages.ts';

describe('the guide to versions', () => {
  const guide = textOf('docs/guides/versions.md');

  /** What `diff` prints for the models of the guide. */
  async function printed(context: TestContext, ...options: readonly string[]): Promise<string> {
    const [published = '', shop = ''] = blocksOf(guide, 'yaml');
    const files = Object.entries({ 'published.yaml': published, 'shop.yaml': shop }).map(([name, text]) => {
      const file = path.join(temporaryDirectory(context), name);
      writeFileSync(file, text);
      return file;
    });
    const terminal = recordedTerminal();
    assert.equal(await run(['diff', ...files, ...options], terminal), 1);
    return terminal.written().stdout;
  }

  it('[VER-6a] shows what diff prints', async (context) => {
    assert.equal(await printed(context), blocksOf(guide, 'text')[0]);
    assert.equal(await printed(context, '--markdown'), blocksOf(guide, 'markdown')[0]);
  });

  it('[VER-6a] shows the JSON of diff', async (context) => {
    const { differences, ...whole } = JSON.parse(await printed(context, '--json'));
    const { differences: first, ...shown } = JSON.parse(blocksOf(guide, 'json')[0] ?? '');
    for (const model of [whole.old, whole.new]) model.model = path.basename(model.model);
    assert.deepEqual(whole, shown);
    assert.deepEqual([differences.length, differences.slice(0, 1)], [4, first]);
  });
});
