import { type Html, html } from '../html.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'QUERY'];

/** The initial content of the form of a page. */
interface RequestFormContent {
  /** Path of the root of the API, without a trailing slash. The form sends its token to paths below it alone. */
  readonly root: string;
  /** Suggested paths; the form starts with the first one. */
  readonly paths: readonly string[];
}

/** The form that sends requests, and their response. Hidden until the script shows it. */
export function requestForm({ root, paths }: RequestFormContent): Html {
  return html`<form class="request" hidden data-root="${root}">
<div class="line">
<div class="method"><label for="method">Method</label>
<select id="method">${METHODS.map((method) => html`<option>${method}</option>`)}</select></div>
<div class="target"><label for="path">Path</label>
<input id="path" list="paths" value="${paths[0] ?? (root || '/')}" required spellcheck="false" autocapitalize="off" autocomplete="off">
<datalist id="paths">${paths.map((path) => html`<option value="${path}"></option>`)}</datalist></div>
<button class="send" type="submit">Send</button>
</div>
<div id="body-part"><label for="body">Body</label>
<textarea id="body" rows="6" spellcheck="false"></textarea></div>
<details><summary>Header fields</summary>
<label for="fields">One per line, such as <code>If-Match: "1"</code></label>
<textarea id="fields" rows="3" spellcheck="false"></textarea></details>
<p class="error" id="error" role="alert"></p>
<div class="curl"><div class="bar"><h3 id="curl-title">The same with curl</h3><button type="button" id="copy">Copy</button></div>
<pre id="curl" tabindex="0" role="region" aria-labelledby="curl-title"></pre></div>
</form>
<div id="response" hidden>
<div class="bar"><h3 id="response-title">Response</h3><p id="status" role="status"></p></div>
<details id="head"><summary>Header fields of the response</summary><dl id="response-fields"></dl></details>
<pre id="response-body" tabindex="0" role="region" aria-labelledby="response-title"></pre>
</div>`;
}
