import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/command.ts';

/** The pages whose commands and requests are run. */
export const PAGES: readonly string[] = ['README.md', ...globSync('docs/guides/*.md', { cwd: root }).sort()];

export function readPage(page: string): string {
  return readFileSync(path.join(root, page), 'utf8');
}

/** The fenced blocks of a language in a page. */
export function readBlocks(text: string, language: string): readonly string[] {
  return [...text.matchAll(/^```(.*)\n([^]*?)^```$/gm)].flatMap(([, of, block = '']) =>
    of === language ? [block] : [],
  );
}

/** The command lines of a page, without comments. */
export function readCommands(text: string): readonly string[] {
  return readBlocks(text, 'sh')
    .flatMap((block) => block.replaceAll(/\\\n\s*/g, '').split('\n'))
    .map((line) => line.replace(/(?:^|\s+)#.*$/, '').trim())
    .filter((line) => line !== '');
}

/** The rows of the first table of a section, as cells. */
export function readRows(text: string, heading: string): readonly (readonly string[])[] {
  const [, section = ''] = text.split(`\n${heading}\n`);
  const [, rows = ''] = /^\| ---.*\n((?:\|.*\n)+)/m.exec(section.split(/^#/m)[0] ?? '') ?? [];
  return [...rows.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row.split(' | '));
}

/** The texts of a cell in code. */
export function readCodes(cell: string | undefined): readonly string[] {
  return [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}
