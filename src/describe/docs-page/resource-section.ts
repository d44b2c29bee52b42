import { type ResourceErrorCode, resourceErrors } from '../../conventions/errors.ts';
import { linkName } from '../../model/link-name.ts';
import type { Property, Resource } from '../../model/model.ts';
import { listOperators } from '../../model/operators.ts';
import { filterName } from '../../plan/parameters.ts';
import { typeWords } from '../page/type-words.ts';
import type { PlacedResource } from '../surface/placed-resource.ts';
import { readString } from '../../model/values/access.ts';
import { type Html, html } from '../html.ts';
import { type DocsContent, sectionId } from './docs-content.ts';
import { fieldList } from './field-list.ts';
import { operationList, type ShownOperations } from './operation-list.ts';
import type { DocsOperation } from './operations.ts';
import { stateSection } from './state-diagram.ts';
import { listEventTypes } from '../../model/event-types.ts';

/** Everything about one resource: operations, states, fields, what can be selected, events and errors. */
export function resourceSection(content: DocsContent, shown: ShownOperations): Html {
  const { described, operations } = shown;
  const { resource, path } = described;
  const { model } = content.contract;
  const id = sectionId(resource);
  const description = readString(resource.schema['description']);
  return html`<section id="${id}" class="resource" aria-labelledby="${id}-title">
<h2 id="${id}-title">${linkName(resource)}</h2>
<p class="note"><code>${path}</code></p>
${description === null ? '' : html`<p class="lead">${description}</p>`}
${operationList(content, shown)}
${resource.state === null ? '' : html`<h3>States</h3>\n${stateSection(resource.state)}`}
<h3>Fields</h3>
${fieldList(resource, model)}
${compoundUniques(resource)}
${querySection(described)}
${eventSection(resource)}
${errorSection(resource, operations)}
</section>
`;
}

function compoundUniques({ uniques }: Resource): Html {
  const compound = uniques.filter((fields) => fields.length > 1);
  if (compound.length === 0) return html``;
  return html`<p class="note">Unique together: ${compound.map((fields, index) => html`${index === 0 ? '' : '; '}<code>${fields.join(', ')}</code>`)}.</p>`;
}

function eventSection(resource: Resource): Html {
  const { events, collection } = resource;
  const types = listEventTypes(resource);
  if (types.length === 0) return html``;
  const data = events === 'full' ? 'with the data of the resource' : 'with the names of the changed fields';
  const cause =
    events === 'disabled' ? 'Disabling commits an event, with the reason.' : `Each change commits an event, ${data}.`;
  return html`<details>
<summary>Events<span class="hidden"> of ${collection}</span> <span class="count">${types.length}</span></summary>
<p>${cause}</p>
<ul class="members" data-kind="event">${types.map((type) => html`<li><code class="member">${type}</code></li>\n`)}</ul>
</details>`;
}

/** When an error with the prefix of a resource is sent. */
const MEANINGS: readonly (readonly [code: ResourceErrorCode, meaning: string])[] = [
  ['INVALID', 'the body does not match the schema; details has every violation'],
  ['FORBIDDEN', 'a rule on rows or fields refuses the write'],
  ['NOT_FOUND', 'there is no such resource, or the caller may not see it'],
  ['ALREADY_EXISTS', 'another resource has this id, or the value of a unique field'],
  ['CONFLICT', 'the state does not allow the change, or it contradicts another resource'],
  ['HAS_DEPENDENTS', 'other resources refer to it, so that it cannot be deleted'],
  ['GONE', 'it was deleted'],
  ['PRECONDITION_FAILED', 'If-Match or another precondition does not hold'],
];

/** The codes of the resource itself that one of its operations has. */
function errorSection({ code, collection }: Resource, operations: readonly DocsOperation[]): Html {
  const sent = new Set(operations.flatMap(({ errors }) => [...errors.values()].flat()));
  const codes = MEANINGS.filter(([each]) => sent.has(`${code}_${each}`));
  return html`<details>
<summary>Error codes<span class="hidden"> of ${collection}</span> <span class="count">${codes.length}</span></summary>
<ul class="members" data-kind="error code">
${codes.map(([each, meaning]) => html`<li><code class="member">${code}_${each}</code> <span>${resourceErrors[each]}, ${meaning}</span></li>\n`)}
</ul>
</details>`;
}

/** The parts of a collection that a request can select: filters with their operators, sort keys, search, relations. */
function querySection(described: PlacedResource): Html {
  const { resource } = described;
  const properties = [...resource.properties.values()].filter(({ filterable, sortable }) => filterable || sortable);
  const order = resource.sort.map(({ path, descending }) => `${descending ? '-' : ''}${path}`).join(',');
  return html`<details>
<summary>Filters and sort keys<span class="hidden"> of ${linkName(resource)}</span> <span class="count">${properties.length}</span></summary>
<p>Default order: <code>sort=${order}</code>. ${searchNote(resource)} ${timeNote(resource)}</p>
<ul class="members" data-kind="filter">
${properties.map(propertyItem)}
</ul>
</details>
${relationSection(described)}`;
}

function timeNote({ timeField }: Resource): Html {
  if (timeField === null) return html`There is no pagination by time.`;
  return html`Pagination by time uses <code>${timeField}</code>.`;
}

function searchNote({ search: paths }: Resource): Html {
  if (paths.length === 0) return html`There is no text search (<code>q</code>).`;
  return html`<code>q</code> searches ${paths.map((path, index) => html`${index === 0 ? '' : ', '}<code>${path}</code>`)}.`;
}

function propertyItem({ path, type, filterable, sortable }: Property): Html {
  const operators = filterable ? listOperators(type) : [];
  return html`<li><code class="member">${filterName(path)}</code> <span>${typeWords(type)}${sortable ? ', sort key' : ''}</span>
${operators.length === 0 ? '' : html`<code class="list">${operators.join(' ')}</code>`}</li>
`;
}

function relationSection({ resource, relations: all }: PlacedResource): Html {
  if (all.length === 0) return html``;
  return html`<details>
<summary>Relations<span class="hidden"> of ${linkName(resource)}</span> <span class="count">${all.length}</span></summary>
<p>Names for <code>expand</code>, and for filters through one relation, such as <code>${all[0]?.name ?? ''}.id=…</code>.</p>
<ul class="members" data-kind="relation">
${all.map(({ name, kind, target }) => html`<li><code class="member">${name}</code> <span>${kind === 'one' ? 'one of' : 'a page of'} <a href="#${sectionId(target)}">${linkName(target)}</a></span></li>\n`)}
</ul>
</details>`;
}
