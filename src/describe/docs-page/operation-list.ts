import { type Html, html } from '../html.ts';
import type { CodesByStatus, OperationAccess } from '../surface/operation.ts';
import type { ResourceSurface } from '../surface/surface.ts';
import { type DocsContent, sectionId, versionFields } from './docs-content.ts';
import { type DocsOperation, withoutCommon } from './operations.ts';

/** A resource with its operations as the page shows them. */
export interface ShownOperations {
  readonly described: ResourceSurface;
  readonly operations: readonly DocsOperation[];
  /** The error codes that every operation of the API has. */
  readonly common: CodesByStatus;
}

/** The operations of a resource, each with a button that opens it in the form. */
export function operationList(content: DocsContent, shown: ShownOperations): Html {
  return html`<ul class="operations">
${shown.operations.map((operation) => operationRow(content, shown, operation))}
</ul>`;
}

function operationRow(content: DocsContent, { described, common }: ShownOperations, operation: DocsOperation): Html {
  const { kind, method, path, summary, success } = operation;
  const access = content.contract.model.auth === null ? '' : callerWords(operation.access);
  return html`<li id="${sectionId(described.resource)}-${kind}"><span class="verb ${method.toLowerCase()}">${method}</span>
<span class="what"><span>${summary}</span> <code class="path">${path}</code></span>
<span class="access">${access}</span>
${tryButton(content, operation)}
<details><summary>Responses<span class="hidden">: ${summary}</span></summary>
<p>${success}; or an error, also one of <a href="#errors">every operation</a>:</p>
${codeList(withoutCommon(operation.errors, common))}</details></li>
`;
}

/** Writes the callers that an operation admits. */
function callerWords({ authenticated, scopes }: OperationAccess): string {
  if (scopes.length > 0) return scopes.join(' and ');
  return authenticated ? 'every caller with a token' : 'public';
}

/** Error codes by status. */
export function codeList(codes: CodesByStatus): Html {
  return html`<ul class="statuses">
${[...codes].map(([status, each]) => html`<li><span>${status}</span> <code class="list">${each.join(' ')}</code></li>\n`)}
</ul>`;
}

function tryButton(content: DocsContent, operation: DocsOperation): Html {
  const { method, path, summary, body, needsMatch, needsKey } = operation;
  const fields = `${versionFields(content)}${needsMatch ? 'If-Match: *\n' : ''}`;
  const withBody = body === null ? html`` : html` data-body="${body}"`;
  const withKey = needsKey ? html` data-key="random"` : html``;
  return html`<button type="button" data-method="${method}" data-path="${path}" data-fields="${fields}"${withBody}${withKey} aria-label="Try: ${summary}">Try</button>`;
}
