import { sha256 } from '../../platform/digest.ts';
import { Html, html } from '../html.ts';

/** The one style and the one script of a page. */
export interface PageAssets {
  readonly style: string;
  readonly script: string;
}

/**
 * `Content-Security-Policy` of a page: its own style and script by their digest, requests to its own origin, and
 * nothing else. A page of another site cannot frame it.
 */
export function pagePolicy({ style, script }: PageAssets): string {
  return [
    "default-src 'none'",
    `style-src '${sha256(style)}'`,
    `script-src '${sha256(script)}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const ICON =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E%3Crect width=%2216%22 height=%2216%22 rx=%224%22 fill=%22%23285e8e%22/%3E%3Cpath d=%22M4.5 5.5h7M4.5 8h7M4.5 10.5h4%22 stroke=%22%23fff%22 stroke-width=%221.5%22 stroke-linecap=%22round%22/%3E%3C/svg%3E';

/** A whole page, in UTF-8. @param body the content of its body, without its script */
export function writePage(title: string, body: Html, { style, script }: PageAssets): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${new Html(ICON)}">
${inlined('style', style)}
</head>
<body>
${body}
${inlined('script', script)}
</body>
</html>
`.text;
}

/**
 * One of the two elements that the policy of the page allows. The end tag of a script would make a bundler rewrite a
 * tagged template that has it.
 */
function inlined(name: 'style' | 'script', content: string): Html {
  return new Html(`<${name}>${content}</${name}>`);
}
