import { linkName } from '../../model/link-name.ts';
import type { Total } from '../../conventions/pagination/pagination.ts';
import type { Field, Model, Resource } from '../../model/model.ts';
import { type Html, html } from '../html.ts';
import { FORM_SCRIPT, STYLE } from '../page/assets.ts';
import { type PageAssets, pagePolicy, writePage } from '../page/page.ts';
import { requestForm } from '../page/request-form.ts';
import { sampleBody } from '../page/sample-body.ts';
import { fieldNotes, typeWords } from '../page/type-words.ts';
import type { PlacedResource } from '../surface/placed-resource.ts';

/** The content of the page of a model for one request. */
export interface RootPageContent {
  readonly model: Pick<Model, 'title' | 'name'>;
  /** The resources that the page lists, by name. */
  readonly resources: ReadonlyMap<string, PlacedResource>;
  /** `1.4.2`. */
  readonly version: string;
  /** Path of the root of the API, which `fetch` in the page can use. */
  readonly root: string;
  /** Path of the documentation of this version. */
  readonly docs: string;
  /** The path of a collection that is not below another resource. */
  readonly pathOf: (resource: Resource) => string;
  /** Rows of each such collection, by name. */
  readonly counts: ReadonlyMap<string, Total>;
}

/** The most resources whose fields the page shows. */
const MOST_DETAILED = 100;

interface PlacedContent extends RootPageContent {
  /** The resources directly below each one by its name; below null, those at the top. */
  readonly children: ReadonlyMap<string | null, readonly PlacedResource[]>;
  /** True if it has so many resources that it leaves out their fields. */
  readonly isLong: boolean;
}

const ASSETS: PageAssets = { style: STYLE, script: FORM_SCRIPT };

export const ROOT_PAGE_POLICY = pagePolicy(ASSETS);

/** The page that a browser shows for the root of an API: its collections, and a form to send requests. */
export function writeRootPage(given: RootPageContent): string {
  const { model, resources } = given;
  const content: PlacedContent = {
    ...given,
    children: Map.groupBy(resources.values(), ({ above: [parent] }) => parent?.name ?? null),
    isLong: resources.size > MOST_DETAILED,
  };
  const body = html`<a class="skip" href="#request">Send a request</a>
<div class="page">
${header(content)}
<main>
${collections(content)}
${requestSection(content)}
</main>
<footer>
<p>Browsers get this page. Other clients get JSON from the same address.</p>
</footer>
</div>`;
  return writePage(model.title, body, ASSETS);
}

function header({ model, version, root, docs }: RootPageContent): Html {
  return html`<header>
<p class="eyebrow">HTTP API</p>
<h1>${model.title}</h1>
<dl class="facts">
<div><dt>Version</dt><dd>${version}</dd></div>
<div><dt>Name</dt><dd>${model.name}</dd></div>
<div><dt>Root</dt><dd><code>${root}</code></dd></div>
<div><dt>Documentation</dt><dd><a href="${docs}">${docs}</a></dd></div>
</dl>
</header>`;
}

function collections(content: PlacedContent): Html {
  const top = content.children.get(null) ?? [];
  return html`<section aria-labelledby="collections">
<h2 id="collections">Collections</h2>
<ul class="collections">
${top.map((placed) => collection(content, placed))}
</ul>
</section>`;
}

function collection(content: PlacedContent, placed: PlacedResource): Html {
  const { resource } = placed;
  const path = content.pathOf(resource);
  const counted = content.counts.get(resource.name);
  return html`<li>
<div class="row">
<a class="name" href="${path}">${linkName(resource)}</a>
<span class="count">${counted === undefined ? '' : countWords(counted)}</span>
<span class="try">${content.isLong ? '' : tryButtons(placed, path)}</span>
<code class="path">${path}</code>
</div>
${details(resource, content)}
${subCollections(content, resource, pathOfLink(path))}
</li>
`;
}

function tryButtons(placed: PlacedResource, path: string): Html {
  const name = linkName(placed.resource);
  const read = html`<button type="button" data-method="GET" data-path="${path}" aria-label="GET ${name}">GET</button>`;
  if (placed.resource.readOnly) return read;
  return html`${read}
<button type="button" data-method="POST" data-path="${path}" data-body="${JSON.stringify(sampleBody(placed), null, 2)}" aria-label="POST ${name}">POST</button>`;
}

/** A link without its query, which names the version where the request does. */
function pathOfLink(link: string): string {
  return link.replace(/\?.*$/, '');
}

/** The sub-collections of a resource, which have no URL without an id. */
function subCollections(content: PlacedContent, resource: Resource, path: string): Html {
  const below = content.children.get(resource.name) ?? [];
  if (below.length === 0) return html``;
  return html`<ul class="children">
${below.map(({ resource: child, pathParameters }) => {
  const itsPath = [path, `{${pathParameters.at(-1) ?? 'id'}}`, child.collection].join('/');
  return html`<li><span class="name">${linkName(child)}</span> <code class="path">${itsPath}</code>
${details(child, content)}
${subCollections(content, child, itsPath)}</li>
`;
})}
</ul>`;
}

/** The fields of a resource. A page of many has none: the documentation has them all. */
function details(resource: Resource, { resources, isLong }: PlacedContent): Html {
  const { fields } = resource;
  if (fields.length === 0 || isLong) return html``;
  return html`<details>
<summary>${fields.length} ${fields.length === 1 ? 'field' : 'fields'}<span class="hidden"> of ${linkName(resource)}</span></summary>
<ul class="fields">
${fields.map((each) => field(each, resources))}
</ul>
</details>`;
}

function field(each: Field, resources: RootPageContent['resources']): Html {
  const target = resources.get(each.reference?.resource ?? '')?.resource;
  const notes = fieldNotes(each, target === undefined ? null : linkName(target));
  return html`<li><code>${each.name}</code> <span>${[typeWords(each.type), ...notes].join(', ')}</span></li>
`;
}

function countWords({ count, exact }: Total): string {
  return `${count.toLocaleString('en-US')}${exact ? '' : '+'} ${count === 1 && exact ? 'item' : 'items'}`;
}

function requestSection({ children, root, pathOf }: PlacedContent): Html {
  const paths = (children.get(null) ?? []).map(({ resource }) => pathOf(resource));
  return html`<section id="request" aria-labelledby="request-title">
<h2 id="request-title">Send a request</h2>
<noscript><p class="note">The form needs JavaScript. The links above work without it.</p></noscript>
${requestForm({ root: pathOfLink(root).replace(/\/$/, ''), paths })}
</section>`;
}
