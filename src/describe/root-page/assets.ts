import { readFileSync } from 'node:fs';

// A build replaces this module with one that contains the files (`scripts/build.ts`).

/** The style of the page. */
export const STYLE = read('page.css');
/** The script of the page. */
export const SCRIPT = read('page.js');

function read(name: string): string {
  return readFileSync(new URL(`./${name}`, import.meta.url), 'utf8');
}
