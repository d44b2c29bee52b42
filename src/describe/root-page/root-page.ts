import { linkName } from '../../model/link-name.ts';
import type { Total } from '../../conventions/pagination/pagination.ts';
import type { Field, Model, Resource } from '../../model/model.ts';
import { sha256 } from '../../platform/digest.ts';
import { Html, html } from '../html.ts';
import { SCRIPT, STYLE } from './assets.ts';
import { sampleBody } from './sample-body.ts';
import { fieldNotes, typeWords } from './type-words.ts';

/** What the page of a model shows for one request. */
export interface RootPageContent {
  readonly model: Pick<Model, 'title' | 'name' | 'resources'>;
  /** `1.4.2`. */
  readonly version: string;
  /** Path of the root of the API, which `fetch` in the page can use. */
  readonly root: string;
  /** The path of a collection that is not below another resource. */
  readonly pathOf: (resource: Resource) => string;
  /** Rows of each such collection, by name. */
  readonly counts: ReadonlyMap<string, Total>;
}

/**
 * `Content-Security-Policy` of the page: its own style and script by their digest, requests to its own origin, and nothing else. A page of another
 * site cannot frame it.
 */
export const ROOT_PAGE_POLICY = [
  "default-src 'none'",
  `style-src '${sha256(STYLE)}'`,
  `script-src '${sha256(SCRIPT)}'`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const ICON =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E%3Crect width=%2216%22 height=%2216%22 rx=%224%22 fill=%22%23285e8e%22/%3E%3Cpath d=%22M4.5 5.5h7M4.5 8h7M4.5 10.5h4%22 stroke=%22%23fff%22 stroke-width=%221.5%22 stroke-linecap=%22round%22/%3E%3C/svg%3E';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'QUERY'];

/** The page that a browser shows for the root of an API: its collections, and a form to send requests. */
export function writeRootPage(content: RootPageContent): string {
  const { model } = content;
  const body = html`<a class="skip" href="#request">Send a request</a>
<div class="page">
${header(content)}
<main>
${collections(content)}
${requestForm(content)}
</main>
<footer>
<p>Browsers get this page. Other clients get JSON from the same address.</p>
</footer>
</div>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${model.title}</title>
<link rel="icon" href="${new Html(ICON)}">
${inlined('style', STYLE)}
</head>
<body>
${body}
${inlined('script', SCRIPT)}
</body>
</html>
`.text;
}

/** One of the two elements that the policy of the page allows. The end tag of a script would make a bundler rewrite a tagged template that has it. */
function inlined(name: 'style' | 'script', content: string): Html {
  return new Html(`<${name}>${content}</${name}>`);
}

function header({ model, version, root }: RootPageContent): Html {
  return html`<header>
<p class="eyebrow">HTTP API</p>
<h1>${model.title}</h1>
<dl class="facts">
<div><dt>Version</dt><dd>${version}</dd></div>
<div><dt>Name</dt><dd>${model.name}</dd></div>
<div><dt>Root</dt><dd><code>${root}</code></dd></div>
</dl>
</header>`;
}

function collections(content: RootPageContent): Html {
  const { resources } = content.model;
  const top = [...resources.values()].filter(({ parent }) => parent === null);
  return html`<section aria-labelledby="collections">
<h2 id="collections">Collections</h2>
<ul class="collections">
${top.map((resource) => collection(content, resource))}
</ul>
</section>`;
}

function collection(content: RootPageContent, resource: Resource): Html {
  const path = content.pathOf(resource);
  const counted = content.counts.get(resource.name);
  return html`<li>
<div class="row">
<a class="name" href="${path}">${linkName(resource)}</a>
<span class="count">${counted === undefined ? '' : countWords(counted)}</span>
<span class="try">${tryButtons(resource, path)}</span>
<code class="path">${path}</code>
</div>
${details(resource, content.model)}
${children(content, resource, pathOfLink(path))}
</li>
`;
}

function tryButtons(resource: Resource, path: string): Html {
  return html`<button type="button" hidden data-method="GET" data-path="${path}" aria-label="GET ${linkName(resource)}">GET</button>
<button type="button" hidden data-method="POST" data-path="${path}" data-body="${JSON.stringify(sampleBody(resource), null, 2)}" aria-label="POST ${linkName(resource)}">POST</button>`;
}

/** A link without its query, which names the version where the request does. */
function pathOfLink(link: string): string {
  return link.replace(/\?.*$/, '');
}

/** The sub-collections of a resource, which have no URL without an id. */
function children(content: RootPageContent, { name }: Resource, path: string): Html {
  const below = [...content.model.resources.values()].filter(({ parent }) => parent?.resource === name);
  if (below.length === 0) return html``;
  return html`<ul class="children">
${below.map((child) => {
  const itsPath = [path, `{${child.parent?.field ?? 'id'}}`, child.collection].join('/');
  return html`<li><span class="name">${linkName(child)}</span> <code class="path">${itsPath}</code>
${details(child, content.model)}
${children(content, child, itsPath)}</li>
`;
})}
</ul>`;
}

function details(resource: Resource, model: RootPageContent['model']): Html {
  const { fields } = resource;
  if (fields.length === 0) return html``;
  return html`<details>
<summary>${fields.length} ${fields.length === 1 ? 'field' : 'fields'}<span class="hidden"> of ${linkName(resource)}</span></summary>
<ul class="fields">
${fields.map((each) => field(each, model))}
</ul>
</details>`;
}

function field(each: Field, { resources }: RootPageContent['model']): Html {
  const target = resources.get(each.reference?.resource ?? '');
  const notes = fieldNotes(each, target === undefined ? null : linkName(target));
  return html`<li><code>${each.name}</code> <span>${[typeWords(each.type), ...notes].join(', ')}</span></li>
`;
}

function countWords({ count, exact }: Total): string {
  return `${count.toLocaleString('en-US')}${exact ? '' : '+'} ${count === 1 && exact ? 'item' : 'items'}`;
}

/** Hidden until the script shows it: without scripts the page has its links. */
function requestForm({ model, root, pathOf }: RootPageContent): Html {
  const paths = [...model.resources.values()].filter(({ parent }) => parent === null).map(pathOf);
  return html`<section id="request" aria-labelledby="request-title">
<h2 id="request-title">Send a request</h2>
<noscript><p class="note">The form needs JavaScript. The links above work without it.</p></noscript>
<form hidden data-root="${pathOfLink(root).replace(/\/$/, '')}">
<div class="line">
<div class="method"><label for="method">Method</label>
<select id="method">${METHODS.map((method) => html`<option>${method}</option>`)}</select></div>
<div class="target"><label for="path">Path</label>
<input id="path" list="paths" value="${paths[0] ?? root}" required spellcheck="false" autocapitalize="off" autocomplete="off">
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
</div>
</section>`;
}
