import { linkName } from '../../model/link-name.ts';
import type { Steps } from '../../platform/time-slices.ts';
import { type Html, html } from '../html.ts';
import {
  DOCS_SCRIPT,
  DOCS_STYLE,
  FORM_SCRIPT,
  INDEX_SCRIPT,
  RESPONSES_SCRIPT,
  SEARCH_SCRIPT,
  STYLE,
} from '../page/assets.ts';
import { type PageAssets, pagePolicy, writePage } from '../page/page.ts';
import { requestForm } from '../page/request-form.ts';
import type { DescribedContract } from '../described-contract.ts';
import { conventionsSection } from './conventions.ts';
import { type PlacedResource, versionedPath } from '../surface/placed-resource.ts';
import { surfaceSteps } from '../surface/surface.ts';
import { type DocsContent, sectionId } from './docs-content.ts';
import { commonCodes, docsOperations } from './operations.ts';
import { resourceSection } from './resource-section.ts';

const ASSETS: PageAssets = {
  style: `${STYLE}\n${DOCS_STYLE}`,
  // The script of the documentation is the last one: the others listen to what it reports.
  script: [FORM_SCRIPT, INDEX_SCRIPT, SEARCH_SCRIPT, RESPONSES_SCRIPT, DOCS_SCRIPT].join('\n'),
};

export const DOCS_PAGE_POLICY = pagePolicy(ASSETS);

/**
 * The documentation of one contract as a page: every resource with its operations, and a form that sends
 * requests. In steps, two for each resource.
 */
export function* docsPageSteps(content: DocsContent): Steps<string> {
  const resources = [...(yield* surfaceSteps(content.contract)).resources.values()];
  const operations = yield* eachStep(resources, docsOperations);
  const common = commonCodes(operations.flat());
  const sections = yield* eachStep(resources, (described, index) =>
    resourceSection(content, { described, operations: operations[index] ?? [], common }),
  );
  const paths = resources.filter(({ above }) => above.length === 0).map(({ path }) => path);
  return page(
    content,
    paths,
    html`<div class="columns" id="content" data-openapi="openapi.json?api_version=${content.contract.version}"${content.contract.model.descriptions === 'public' ? '' : html` data-needs-token`}>
${navigation(content, resources)}
<main>
${sections}
${conventionsSection(content, common)}
</main>
</div>`,
  );
}

function* eachStep<T, U>(values: readonly T[], make: (value: T, index: number) => U): Steps<readonly U[]> {
  const made: U[] = [];
  for (const [index, value] of values.entries()) {
    made.push(make(value, index));
    yield;
  }
  return made;
}

/** The same page for a caller that may not read it yet. Its field for a token lets its script request the rest. */
export function writeLockedDocsPage(content: DocsContent): string {
  return page(
    content,
    [],
    html`<main id="content" data-locked>
<p>The documentation of this API is for callers with a token. Enter one above.</p>
<p><button type="button" class="send" id="unlock" disabled>Show the documentation</button></p>
<p class="error" id="locked-error" role="alert"></p>
<noscript><p>This needs JavaScript: the token is sent in a header field.</p></noscript>
</main>`,
  );
}

/** @param paths what the form suggests */
function page(content: DocsContent, paths: readonly string[], rest: Html): string {
  const { model } = content.contract;
  const body = html`<a class="skip" href="#content">Skip to the documentation</a>
<div class="page docs">
${header(content)}
${rest}
<footer><p>The form sends requests to this server only. <a href="${versionedPath(model)}">The root of the API</a> has the number of items of each collection.</p></footer>
</div>
${requestDialog(content, paths)}`;
  return writePage(`${model.title}: documentation`, body, ASSETS);
}

function header(content: DocsContent): Html {
  const { contract, contracts } = content;
  const { model } = contract;
  return html`<header>
<p class="eyebrow">Documentation</p>
<h1>${model.title}</h1>
<dl class="facts">
<div><dt>${contracts.length === 1 ? 'Version' : 'Versions'}</dt><dd>${versionLinks(content)}</dd></div>
<div><dt>Root</dt><dd><code>${versionedPath(model)}</code></dd></div>
</dl>
${model.auth === null ? '' : tokenField('page-token')}
</header>`;
}

/** The links are relative: they work below any path that a proxy adds. */
function versionLinks({ contract, contracts }: DocsContent): Html {
  return html`<ul class="versions">${contracts.map((each) => {
    const { version } = each;
    const link = html`<a href="?api_version=${version}">${version}</a>`;
    return html`<li>${each === contract ? html`<strong aria-current="true">${version}</strong>` : link}${lifecycleNote(each)}</li>`;
  })}</ul>`;
}

function lifecycleNote({ deprecated, sunset, deprecationPage }: DescribedContract): Html {
  const cure = deprecationPage === null ? html`` : html` (<a href="${deprecationPage}">how to move on</a>)`;
  if (deprecated === null) return cure;
  const date = sunset === null ? '' : new Date(sunset * 1_000).toISOString().slice(0, 10);
  const end = date === '' ? html`` : html`, ends <time>${date}</time>`;
  return html` <span class="note">deprecated${end}</span>${cure}`;
}

/** One of the two fields for the token, which have the same value: the page behind an open dialog cannot be used. */
function tokenField(id: 'page-token' | 'token'): Html {
  return html`<div class="token"><label for="${id}">Token for requests</label>
<input id="${id}" type="password" autocomplete="off" spellcheck="false" placeholder="Bearer token or API key" aria-describedby="${id}-note">
<p class="note" id="${id}-note">It stays in this tab, and is sent to this API only.</p></div>`;
}

function navigation({ contract }: DocsContent, resources: readonly PlacedResource[]): Html {
  return html`<nav aria-label="Resources">
<div class="search"><label class="hidden" for="search">Search collections, operations, fields and filters</label>
<input id="search" type="search" placeholder="Search" autocomplete="off" spellcheck="false" aria-describedby="found" aria-keyshortcuts="/">
<kbd aria-hidden="true">/</kbd></div>
<p class="note" id="found" role="status"></p>
<ul id="results" hidden></ul>
<details open id="index">
<summary><span class="label">Resources <span class="count">${resources.length}</span></span> <span id="here"></span></summary>
<ul>
${resources.map(({ resource, above }) => html`<li class="depth-${above.length}"><a href="#${sectionId(resource)}">${linkName(resource)}</a></li>\n`)}
<li><a href="#conventions">For every resource</a></li>
${
  contract.model.descriptions === 'public'
    ? html`<li><a href="openapi.json?api_version=${contract.version}">OpenAPI description</a></li>
<li><a href="asyncapi.json?api_version=${contract.version}">AsyncAPI description</a></li>`
    : ''
}
</ul>
</details>
</nav>`;
}

function requestDialog({ contract: { model } }: DocsContent, paths: readonly string[]): Html {
  return html`<dialog id="request" aria-labelledby="request-title">
<div class="bar"><h2 id="request-title">Send a request</h2><button type="button" id="close">Close</button></div>
${model.auth === null ? '' : tokenField('token')}
${requestForm({ root: model.basePath, paths })}
</dialog>`;
}
