import { readFileSync } from 'node:fs';

// A build replaces this module with one that contains the files (`scripts/bundle.ts`).

/** The style of every page. */
export const STYLE = readAsset('page.css');
/** The script of the form that sends requests. */
export const FORM_SCRIPT = readAsset('request-form.js');
/** The further style and scripts of the documentation. */
export const DOCS_STYLE = readAsset('docs.css');
export const DOCS_SCRIPT = readAsset('docs.js');
export const INDEX_SCRIPT = readAsset('docs-index.js');
export const SEARCH_SCRIPT = readAsset('docs-search.js');
export const RESPONSES_SCRIPT = readAsset('docs-responses.js');

function readAsset(name: string): string {
  return readFileSync(new URL(`./${name}`, import.meta.url), 'utf8');
}
