import { resourceErrors } from '../../conventions/errors.ts';
import { timestamp } from '../../conventions/text/timestamp.ts';
import type { Model, Resource } from '../../model/model.ts';
import type { DescribedContract, OpenApiProfile } from '../described-contract.ts';
import { COMPACT_TEXT, GENERATORS_TEXT } from './compact-parameters.ts';
import { words } from '../surface/placed-resource.ts';

/** Writes the common properties of all operations, in Markdown. */
export function apiText(contract: DescribedContract, profile: OpenApiProfile): string {
  const { model, version, deprecated, sunset, deprecationPage, isNewest, isCompact } = contract;
  const { basePath, version: served } = model;
  const end = sunset === null ? '' : ` It may no longer be served from ${isoDate(sunset)} on.`;
  const state = deprecated === null ? [] : [`Version ${version} is deprecated since ${isoDate(deprecated)}.${end}`];
  const successor = isNewest ? [] : ['A newer version is served, too: /openapi.json describes it.'];
  const page = deprecationPage === null ? [] : [`[How to move on](${deprecationPage}) from version ${version}.`];
  return [
    ...state,
    ...page,
    ...successor,
    `Paths name the major version. The same operations are at ${basePath || '/'} without v${served.major}, where api_version, API-Version or the media type says which version is meant.`,
    'Responses are JSON, XML or text, collections CSV and NDJSON, too, as Accept asks. Every error has the six members of ApiError.',
    ...(profile === 'generators' ? [GENERATORS_TEXT] : isCompact ? [COMPACT_TEXT] : []),
  ].join('\n\n');
}

/** Writes the states, events and error codes of a resource, in Markdown. */
export function resourceText(resource: Resource, model: Model): string {
  const { singular, code, parent, events } = resource;
  const above = parent === null ? undefined : model.resources.get(parent.resource);
  const codes = Object.entries(resourceErrors).map(([suffix, status]) => `\`${code}_${suffix}\` (${status})`);
  return [
    `The collection of ${words(resource.collection)}${above === undefined ? '' : `, below ${words(above.collection)}`}.`,
    ...stateText(resource),
    ...(events === 'none'
      ? []
      : [`Events: \`${singular}.created\`, \`${singular}.updated\`, \`${singular}.deleted\`.`]),
    `Errors: ${codes.join(', ')}.`,
  ].join('\n\n');
}

/** The day of a number of seconds since 1970. */
function isoDate(seconds: number): string {
  return timestamp(seconds * 1_000).slice(0, 10);
}

function stateText({ state }: Resource): readonly string[] {
  if (state === null) return [];
  const moves = [...state.transitions].map(([from, targets]) => {
    const scopes = state.scopes.get(from);
    const to = [...targets].map((target) => {
      const scope = scopes?.get(target);
      return scope === undefined ? target : `${target} (scope ${scope})`;
    });
    return `- ${from} → ${to.length === 0 ? 'nothing' : to.join(', ')}`;
  });
  return [`States of \`${state.field}\`, the first is ${state.initial}:\n\n${moves.join('\n')}`];
}
