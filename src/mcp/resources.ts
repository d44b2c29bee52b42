import { listCollections } from '../describe/agents/list-collections.ts';
import { versionedPath } from '../describe/surface/placed-resource.ts';
import { type AgentApi, type AgentName, type AgentSession, bodyMembers } from './session.ts';

/** A page or a row that agents read by its URL. */
export interface ResourceEntry {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: 'application/json';
}

/** The start of the URLs of rows, as events have it. */
function writeBase({ model, origin }: AgentApi): string {
  return (model.publicUrl ?? origin()) + versionedPath(model);
}

/** Lists the collections that have a URL without an id. */
export function listResources(api: AgentApi): readonly ResourceEntry[] {
  const names = listCollections(api.model).map(({ collection }) => collection);
  return names
    .filter((name) => !name.includes('/'))
    .map((name) => ({ uri: `${writeBase(api)}/${name}`, name, mimeType: 'application/json' }));
}

/** Lists the one pattern of the URLs of rows. */
export function listResourceTemplates(
  api: AgentApi,
): readonly { readonly uriTemplate: string; readonly name: string; readonly mimeType: 'application/json' }[] {
  const uriTemplate = `${writeBase(api)}/{collection}/{id}`;
  return [{ uriTemplate, name: 'row', mimeType: 'application/json' }];
}

/** A resource that was read, or the reason why it was not. */
export type ReadOutcome =
  | { readonly kind: 'found'; readonly text: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly message: string };

/** Reads a row or a page by its URL, or by its path, as links of rows without `public_url` have it. */
export async function readResource(session: AgentSession, uri: string, agent: AgentName): Promise<ReadOutcome> {
  const { api } = session;
  const prefixes = [`${writeBase(api)}/`, `${versionedPath(api.model)}/`];
  const prefix = prefixes.find((each) => uri.startsWith(each));
  if (prefix === undefined) return { kind: 'absent' };
  const answer = await session.send({ method: 'GET', path: `/${uri.slice(prefix.length)}` }, agent);
  if (answer.status === 200) return { kind: 'found', text: answer.text };
  const { errorMessage } = bodyMembers(answer);
  if (answer.status < 400 || answer.status === 404 || answer.status === 410) return { kind: 'absent' };
  return { kind: 'refused', message: typeof errorMessage === 'string' ? errorMessage : '' };
}
