import { readFileSync } from 'node:fs';

// A build replaces this module with one that contains the files (`scripts/build.ts`).

/** The style of every page. */
export const STYLE = read('page.css');
/** The script of the form that sends requests. */
export const FORM_SCRIPT = read('request-form.js');
/** The further style and script of the documentation. */
export const DOCS_STYLE = read('docs.css');
export const DOCS_SCRIPT = read('docs.js');

function read(name: string): string {
  return readFileSync(new URL(`./${name}`, import.meta.url), 'utf8');
}
