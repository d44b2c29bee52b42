import type { Model } from '../model/model.ts';
import { listCollections } from '../describe/agents/list-collections.ts';
import { versionedPath } from '../describe/surface/placed-resource.ts';
import { writeJson } from '../formats/json.ts';
import { type AgentName, type AgentSession, bodyMembers } from './session.ts';

/** A page or a row that agents read by its URL. */
export interface ResourceEntry {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: 'application/json';
}

/** The start of the URLs of rows, as the links of rows have it. */
function writeBase(model: Model): string {
  return (model.publicUrl ?? '') + versionedPath(model);
}

/** Lists the collections that have a URL without an id. */
export function listResources(model: Model): readonly ResourceEntry[] {
  const names = listCollections(model).map(({ collection }) => collection);
  return names
    .filter((name) => !name.includes('/'))
    .map((name) => ({ uri: `${writeBase(model)}/${name}`, name, mimeType: 'application/json' }));
}

/** Lists the one pattern of the URLs of rows. */
export function listResourceTemplates(
  model: Model,
): readonly { readonly uriTemplate: string; readonly name: string; readonly mimeType: 'application/json' }[] {
  const uriTemplate = `${writeBase(model)}/{collection}/{id}`;
  return [{ uriTemplate, name: 'row', mimeType: 'application/json' }];
}

/** A resource that was read, or the reason why it was not. */
export type FoundResource =
  | { readonly kind: 'found'; readonly text: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly message: string };

/** Reads a row or a page by its URL, with or without the origin of the API. */
export async function readResource(session: AgentSession, uri: string, agent: AgentName): Promise<FoundResource> {
  const { model } = session.api;
  const base = `${versionedPath(model)}/`;
  const prefix = [model.publicUrl ?? '', ''].map((origin) => origin + base).find((each) => uri.startsWith(each));
  if (prefix === undefined) return { kind: 'absent' };
  const answer = await session.send({ method: 'GET', path: `/${uri.slice(prefix.length)}` }, agent);
  if (answer.status === 200) return { kind: 'found', text: writeJson(answer.body) };
  const { errorMessage } = bodyMembers(answer);
  if (answer.status < 400 || answer.status === 404 || answer.status === 410) return { kind: 'absent' };
  return { kind: 'refused', message: String(errorMessage) };
}
