import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { SaxesParser } from 'saxes';
import { root } from '../../scripts/command.ts';
import { CONSOLE_PICTURES } from '../../scripts/pictures/console-pictures.ts';
import { drawTerminal } from '../../scripts/pictures/draw-terminal.ts';
import { PAGE_PICTURES } from '../../scripts/pictures/page-pictures.ts';
import { TERMINAL_PICTURES } from '../../scripts/pictures/pictures.ts';
import { recordTerminal } from '../../scripts/pictures/record-terminal.ts';
import { OPERATORS, TECHNIQUES } from '../pipeline/walks/plans.ts';
import { readPage, readRows } from './guide-pages.ts';

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** The number that a pattern finds in a file. */
function numberIn(file: string, pattern: RegExp): number {
  const [, found = ''] = pattern.exec(read(file)) ?? assert.fail(`${file} has nothing like ${pattern.source}`);
  return Number(found.replaceAll('_', ''));
}

/** The numbers of a row of the README that shows a number and links a test. */
function rowNumbers(link: string): readonly number[] {
  const row = readPage('README.md')
    .split('\n')
    .find((line) => line.startsWith('| **') && line.includes(link));
  const cells = (row ?? assert.fail(`no row links ${link}`)).split(' | ').slice(0, 2).join(' ');
  return [...cells.matchAll(/\d[\d,]*/g)].map(([digits]) => Number(digits.replaceAll(',', '')));
}

describe('the numbers of the README', () => {
  it('are the kills and the clients of the test that loses no write', () => {
    const file = 'test/cli/serve/crash.slow.test.ts';
    const [kills, writers] = [numberIn(file, /^const KILLS = (\d+);/m), numberIn(file, /^const WRITERS = (\d+);/m)];
    assert.deepEqual(rowNumbers(file), [0, writers, kills]);
  });

  it('are the bodies, their media types, and the URLs of the whole run', () => {
    const bodies = 'test/pipeline/bodies/hostile-bodies.test.ts';
    const [, list = ''] = /const TYPES = \[(.*?)\];/s.exec(read(bodies)) ?? [];
    assert.deepEqual(rowNumbers(bodies).slice(0, 2), [
      numberIn(bodies, /runs\(\d+, ([\d_]+)\)/),
      list.trim().split('\n').length,
    ]);
    const urls = 'test/plan/routes/url-builder.test.ts';
    assert.deepEqual(rowNumbers(urls), [numberIn(urls, /runs\(\d+, ([\d_]+)\)/)]);
  });

  it('are the walks of the whole run: each technique, changing and unchanged, each operator, and five mixtures', () => {
    const file = 'test/pipeline/collections/collection-walks.slow.test.ts';
    const claims = read('test/pipeline/walks/claims.ts');
    const mixtures = [...claims.matchAll(/=> (walks|stands)\(plan, (?:technique|'cursor')\)/g)].map(([, law]) => law);
    // One of each kind stands in the loop over techniques, one in the loop over operators.
    assert.deepEqual(mixtures, ['walks', 'stands', 'stands', 'walks', 'stands', 'walks', 'walks', 'walks']);
    const each = numberIn(file, /isWholeSuite \? \d+ : (\d+)/);
    const all = (2 * TECHNIQUES.length + OPERATORS.length + 5) * each;
    assert.deepEqual(rowNumbers(file), [all, (TECHNIQUES.length + 4) * each]);
  });

  it('are the generated clients that the guide lists as called', () => {
    const guide = readPage('docs/guides/descriptions.md');
    const [, section = ''] = guide.split('\n## Generated clients\n');
    const others = section.split('\n').filter((line) => line.includes('| compiled, called |'));
    const [count] = rowNumbers('descriptions.md#generated-clients');
    assert.equal(count, readRows(guide, '## Generated clients').length + others.length);
  });
});

describe('the pictures of the guides', () => {
  it('show the terminal of today: npm run pictures writes them', async () => {
    const steps = await recordTerminal();
    for (const motion of ['animated', 'still'] as const)
      assert.equal(read(TERMINAL_PICTURES[motion]), drawTerminal(steps, motion), TERMINAL_PICTURES[motion]);
  });

  it('are well-formed, small, without a script, and stand still where motion is reduced', () => {
    for (const file of Object.values(TERMINAL_PICTURES)) {
      const svg = read(file);
      assert.ok(svg.length <= 60_000, `${file}: ${svg.length} characters`);
      assert.doesNotMatch(svg, /<script|\son\w+=|href|url\(|<animate/);
      assert.match(svg, /@media \(prefers-color-scheme:dark\)/);
      const names: string[] = [];
      const parser = new SaxesParser();
      parser.on('error', (error) => assert.fail(error));
      parser.on('opentag', ({ name }) => names.push(name));
      parser.write(svg).close();
      assert.ok(names.filter((name) => name === 'text').length > 20, file);
    }
    assert.match(read(TERMINAL_PICTURES.animated), /@media \(prefers-reduced-motion:no-preference\)\{text\{animation:/);
    assert.doesNotMatch(read(TERMINAL_PICTURES.still), /animation|keyframes/);
  });

  it('are made by scripts, in their size', () => {
    const used = ['README.md', ...['docs-page', 'browsers', 'console'].map((page) => `docs/guides/${page}.md`)].flatMap(
      (page) =>
        [...readPage(page).matchAll(/\((?:docs\/guides\/)?([\w-]+\.png)\)/g)].map(
          ([, name = '']) => `docs/guides/${name}`,
        ),
    );
    const pictures = [...PAGE_PICTURES, ...CONSOLE_PICTURES];
    assert.deepEqual(new Set(used), new Set(pictures.map(({ file }) => file)));
    for (const { file, width, height } of pictures) {
      const header = readFileSync(path.join(root, file)).subarray(16, 24);
      assert.deepEqual([header.readUInt32BE(0), header.readUInt32BE(4)], [width, height], file);
    }
  });
});
