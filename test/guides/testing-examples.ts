import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/command.ts';
import { readBlocks, readPage } from './guide-pages.ts';

/** The exports of the package that the examples import, and their sources. */
const SOURCES = {
  restwright: 'index.ts',
  'restwright/client': 'client/client.ts',
  'restwright/test-api': 'exports/test-api.ts',
};

/** Writes the files of the guide to tests of a model, with the sources in place of the package. */
export function writeTestingExamples(folder: string): void {
  for (const block of readBlocks(readPage('docs/guides/testing.md'), 'ts')) {
    const [, name] = /^\/\/ (\S+\.mts)\n/.exec(block) ?? assert.fail(block);
    const code = Object.entries(SOURCES).reduce(
      (text, [module, source]) => text.replace(`'${module}'`, JSON.stringify(path.join(root, 'src', source))),
      block,
    );
    writeFileSync(path.join(folder, name ?? ''), code);
  }
}
