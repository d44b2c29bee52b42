import { linkName } from '../../model/link-name.ts';
import type { Property, Resource } from '../../model/model.ts';
import { operatorsOf } from '../../model/operators.ts';
import { filterName } from '../../plan/list/parameters.ts';
import { type Html, html } from '../html.ts';
import { typeWords } from '../page/type-words.ts';
import type { PlacedResource } from '../surface/placed-resource.ts';
import { sectionId } from './docs-content.ts';

/** The parts of a collection that a request can select: filters with their operators, sort keys, search, relations. */
export function querySection(described: PlacedResource): Html {
  const { resource } = described;
  const properties = [...resource.properties.values()].filter(({ filterable, sortable }) => filterable || sortable);
  const order = resource.sort.map(({ path, descending }) => `${descending ? '-' : ''}${path}`).join(',');
  return html`<details>
<summary>Filters and sort keys<span class="hidden"> of ${linkName(resource)}</span> <span class="count">${properties.length}</span></summary>
<p>Default order: <code>sort=${order}</code>. ${search(resource)} Pagination by time uses <code>${resource.timeField}</code>.</p>
<ul class="members">
${properties.map(property)}
</ul>
</details>
${relations(described)}`;
}

function search({ search: paths }: Resource): Html {
  if (paths.length === 0) return html`There is no text search (<code>q</code>).`;
  return html`<code>q</code> searches ${paths.map((path, index) => html`${index === 0 ? '' : ', '}<code>${path}</code>`)}.`;
}

function property({ path, type, filterable, sortable }: Property): Html {
  const operators = filterable ? operatorsOf(type) : [];
  return html`<li><code class="member">${filterName(path)}</code> <span>${typeWords(type)}${sortable ? ', sort key' : ''}</span>
${operators.length === 0 ? '' : html`<code class="list">${operators.join(' ')}</code>`}</li>
`;
}

function relations({ resource, relations: all }: PlacedResource): Html {
  if (all.length === 0) return html``;
  return html`<details>
<summary>Relations<span class="hidden"> of ${linkName(resource)}</span> <span class="count">${all.length}</span></summary>
<p>Names for <code>expand</code>, and for filters through one relation, such as <code>${all[0]?.name ?? ''}.id=…</code>.</p>
<ul class="members">
${all.map(({ name, kind, target }) => html`<li><code class="member">${name}</code> <span>${kind === 'one' ? 'one of' : 'a page of'} <a href="#${sectionId(target)}">${linkName(target)}</a></span></li>\n`)}
</ul>
</details>`;
}
