import { OPERATORS } from '../../model/operators.ts';
import { type Html, html } from '../html.ts';
import { generalErrorCodes } from '../surface/error-codes.ts';
import type { CodesByStatus } from '../surface/operation.ts';
import { type DescribedRoute, describeSurface, requireOperation, requireRoute } from '../surface/surface.ts';
import type { DocsContent } from './docs-content.ts';
import { codeList } from './operation-list.ts';
import { withoutCommon } from './operations.ts';

/** The seven pagination techniques, by the parameters of a first request (PAGE-4). */
const TECHNIQUES: readonly (readonly [name: string, example: string, use: string])[] = [
  ['cursor', 'limit=20, then links.next', 'default: iterating, also while rows are written'],
  ['page', 'page=3', 'page numbers, with totals'],
  ['offset', 'offset=40', 'jumping, with totals'],
  ['keyset', 'last_id=…', 'copying a collection in the order of ids'],
  ['time', 'start_time=…&before=…', 'a range of time'],
  ['seek', 'after_timestamp=…&after_id=…', 'polling for new rows'],
  ['hybrid', 'after=… alone', 'a cursor restores its filters and order'],
];

/** Header fields of requests that every resource knows. */
const FIELDS: readonly (readonly [name: string, use: string])[] = [
  [
    'Accept',
    'application/json (default), application/xml, text/plain; collections also text/csv and application/x-ndjson',
  ],
  [
    'Content-Type',
    'application/json, XML, a form or multipart/form-data; PATCH also application/json-patch+json; POST also NDJSON',
  ],
  ['If-Match', 'the ETag that was read: the write is refused with 412 if the resource has changed since'],
  ['If-None-Match', 'an ETag: 304 if nothing has changed'],
  [
    'Idempotency-Key',
    'on POST and PATCH: a repeated request has the effect and the response of the first one, for 24 hours',
  ],
  ['Prefer', 'return=minimal, or handling=lenient, which ignores unknown parameters'],
  ['X-Correlation-ID', 'is returned, logged, and part of errors and events'],
];

/** Writes the conventions of every resource. */
export function conventionsSection(content: DocsContent, common: CodesByStatus): Html {
  return html`<section id="conventions" aria-labelledby="conventions-title">
<h2 id="conventions-title">For every resource</h2>
${pages(content)}
${filters(content, common)}
${rows('Header fields of requests', FIELDS)}
${batches(content, common)}
${events(content, common)}
${errorCodes(common)}
</section>`;
}

function pages({ contract: { model } }: DocsContent): Html {
  const { default: usual, max } = model.limits.page;
  return html`<details>
<summary>Pages <span class="count">${TECHNIQUES.length}</span></summary>
<p>Seven techniques work on every collection. <code>limit</code> is ${usual} by default and at most ${max}; <code>include_total=true</code> counts. Responses have <code>data</code>, <code>page</code> and <code>links</code>.</p>
<ul class="members">
${TECHNIQUES.map(([name, example, use]) => html`<li><code class="member">${name}</code> <span><code>${example}</code></span> <span class="about">${use}</span></li>\n`)}
</ul>
</details>`;
}

/** The codes of several operations together, without those of every operation. */
function ownCodes(common: CodesByStatus, ...operations: readonly CodesByStatus[]): Html {
  const all = operations.flatMap((codes) => [...withoutCommon(codes, common)]);
  const statuses = [...Map.groupBy(all, ([status]) => status)].sort(([one], [other]) => one - other);
  return codeList(
    new Map(statuses.map(([status, each]) => [status, [...new Set(each.flatMap(([, codes]) => codes))].sort()])),
  );
}

/** The codes of a route without a resource. */
function routeCodes({ contract }: DocsContent, route: DescribedRoute): CodesByStatus {
  return requireOperation(requireRoute(describeSurface(contract), route), 'GET').errors;
}

function filters(content: DocsContent, common: CodesByStatus): Html {
  return html`<details>
<summary>Filters, order and selection</summary>
<p><code>field=value</code> or <code>field[operator]=value</code>, with the operators ${OPERATORS.map((name, index) => html`${index === 0 ? '' : ', '}<code>${name}</code>`)}. Parameters are combined with <em>and</em>; <code>any[1][field]=…&amp;any[2][field]=…</code> are alternatives; <code>relation.field=…</code> compares a related resource.</p>
<p><code>sort=-created_at,name</code> orders, <code>fields=name,status</code> selects members, <code>expand=relation</code> embeds related resources. QUERY takes the same parameters as a form in its body. Its errors:</p>
${ownCodes(common, generalErrorCodes('query', content.contract))}
</details>`;
}

function batches(content: DocsContent, common: CodesByStatus): Html {
  return html`<details>
<summary>Batches and dry runs</summary>
<p>POST <code>${requireRoute(describeSurface(content.contract), 'batches').path}</code> with <code>{"atomic": true, "operations": [{"method", "path", "headers", "body"}]}</code> makes up to 100 writes, all of them or none. <code>dry_run=true</code> on any write checks it and changes nothing. An atomic batch also has the errors of its operations.</p>
${ownCodes(common, generalErrorCodes('batch', content.contract), routeCodes(content, 'batch'))}
</details>`;
}

function events(content: DocsContent, common: CodesByStatus): Html {
  return html`<details>
<summary>Events</summary>
<p>GET <code>${requireRoute(describeSurface(content.contract), 'events').path}</code> lists what has changed, oldest first, with the filters <code>type</code>, <code>collection</code>, <code>resource_type</code>, <code>resource_id</code>, <code>start_time</code> and <code>before</code>. With <code>Accept: text/event-stream</code> it is a live feed, which continues after <code>Last-Event-ID</code>. Errors:</p>
${ownCodes(common, routeCodes(content, 'events'), routeCodes(content, 'event'))}
</details>`;
}

function errorCodes(common: CodesByStatus): Html {
  return html`<details id="errors">
<summary>Errors of every operation</summary>
<p>Every error has <code>httpStatus</code>, <code>errorCode</code>, <code>errorMessage</code>, <code>correlationId</code>, <code>timestamp</code> and <code>details</code>; <code>Accept: application/problem+json</code> adds the members of RFC 9457.</p>
${codeList(common)}
</details>`;
}

function rows(title: string, members: readonly (readonly [name: string, use: string])[]): Html {
  return html`<details>
<summary>${title} <span class="count">${members.length}</span></summary>
<ul class="members">
${members.map(([name, use]) => html`<li><code class="member">${name}</code> <span>${use}</span></li>\n`)}
</ul>
</details>`;
}
