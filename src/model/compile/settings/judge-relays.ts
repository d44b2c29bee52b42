import { matchesType } from '../../../conventions/events/event-pattern.ts';
import { closestMatch } from '../../../conventions/text/closest-match.ts';
import { versionText } from '../../../conventions/versioning.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import { findUnmatchedPattern, listEventTypes, publishedFields } from '../../event-types.ts';
import type { Model, Resource, ValueType } from '../../model.ts';
import type { PolicyValue } from '../../policy.ts';
import type { RelaySettings } from '../../relay-settings.ts';
import { readArray, readObject, readString } from '../../values/access.ts';
import { compileEventFilter, listComparisons, listSelected } from '../access/event-filter.ts';
import { parseTemplate } from './relay-template.ts';

/** The members that are templates. The stream of NATS is a name without braces. */
const TEMPLATES = ['subject', 'stream', 'exchange', 'routing_key', 'topic'];

/** A relay that is judged: `declared` is its entry, and `model` that of its version. */
interface JudgedRelay extends CompileContext {
  readonly relay: RelaySettings;
  readonly model: Model;
}

/**
 * Reports what the version, the types, the filter and the templates of relays name, and the model does not have
 * (EVT-9). They are judged by the resources of the version whose events the relay sends.
 *
 * @param newest with its older versions, and without problems
 */
export function judgeRelays(newest: Model, { declared, path, report }: CompileContext): void {
  const entries = readArray(readObject(declared['events'])['relays']);
  for (const [index, relay] of newest.events.relays.entries()) {
    const entry = { declared: readObject(entries[index]), path: [...path, 'events', 'relays', index], report };
    const model = findServed(relay, newest, entry);
    if (model === null) continue;
    const judged = { ...entry, relay, model };
    if (!judgeTypes(judged)) continue;
    judgeFilter(judged);
    for (const member of TEMPLATES) judgeTemplate(member, judged);
  }
}

/** The model of a relay's version; null if it is not served, which is reported. */
function findServed({ version }: RelaySettings, newest: Model, { path, report }: CompileContext): Model | null {
  const older = newest.versions.filter(({ retired }) => !retired).map(({ model }) => model);
  const served = [newest, ...older];
  const found = served.find((model) => version === null || versionText(model.version) === version);
  if (found !== undefined) return found;
  const texts = served.map((model) => versionText(model.version));
  report([...path, 'version'], `version ${version} is not served`, `use one of ${texts.join(', ')}`);
  return null;
}

/** Reports types of events that the model does not have. Returns true if it has all of them. */
function judgeTypes({ relay, model, path, report }: JudgedRelay): boolean {
  const types = [...model.resources.values()].flatMap(listEventTypes);
  let isValid = true;
  for (const [index, pattern] of relay.types.entries()) {
    const unmatched = pattern === '*' ? null : findUnmatchedPattern(pattern, types);
    if (unmatched === null) continue;
    isValid = false;
    const at = [...path, 'types', index];
    const silent = [...model.resources.values()].find((resource) => isSilenced(resource, pattern));
    if (silent !== undefined) {
      const fix = `write events: thin or full for ${silent.name}, or remove the type`;
      report(at, `${pattern} matches no type of event: ${silent.name} has events: none`, fix);
      continue;
    }
    const { nearest, known } = unmatched;
    const others = known.length === 0 ? 'remove it: no resource has events' : `use one of ${known.join(', ')}`;
    report(at, `${pattern} matches no type of event`, nearest === null ? others : `write ${nearest}`);
  }
  return isValid;
}

/** True if a pattern matches events that the resource would have, and has not by `events: none`. */
function isSilenced(resource: Resource, pattern: string): boolean {
  const types = listEventTypes({ ...resource, events: 'thin' });
  return resource.events === 'none' && types.some((type) => matchesType(pattern, type));
}

function judgeFilter({ relay, model, path, report }: JudgedRelay): void {
  if (relay.filter === null) return;
  const compiled = compileEventFilter(relay.filter, relay.types, model);
  if (compiled.kind === 'invalid') {
    const { at, cause, fix } = compiled.problem;
    report([...path, 'filter', ...at], cause, fix);
    return;
  }
  const comparison = [...compiled.policies.values()].flatMap(listComparisons).find(({ value }) => namesCaller(value));
  if (comparison === undefined) return;
  const cause = `the filter compares ${comparison.path} with a value of the caller, and a relay has no caller`;
  report([...path, 'filter'], cause, 'compare it with a constant');
}

function namesCaller(value: PolicyValue): boolean {
  switch (value.kind) {
    case 'literal':
      return false;
    case 'caller':
    case 'claim':
      return true;
    case 'list':
      return value.values.some(namesCaller);
  }
}

function judgeTemplate(member: string, judged: JudgedRelay): void {
  const { declared, relay, model, path, report } = judged;
  const { template, unknown } = parseTemplate(readString(declared[member]) ?? '');
  const selected = listSelected(relay.types, model);
  const at = [...path, member];
  for (const name of unknown) report(at, `{${name}} names no member`, suggestPart(name, selected));
  for (const part of template) {
    if (typeof part === 'string' || part.kind !== 'field') continue;
    const problem = findFieldProblem(part.field, selected);
    if (problem !== null) report(at, `{data.${part.field}} ${problem.cause}`, problem.fix);
  }
}

/** @param name in braces, with or without `data.` */
function suggestPart(name: string, selected: readonly Resource[]): string {
  const member = closestMatch(name, ['type', 'collection']);
  if (member !== null) return `write {${member}}`;
  const fields = selected.flatMap((resource) => publishedFields(resource).filter(({ type }) => isSingle(type)));
  const nearest = closestMatch(
    name.replace(/^data\./, ''),
    fields.map((field) => field.name),
  );
  return `use {type}, {collection} or {data.${nearest ?? 'FIELD'}}`;
}

interface FieldProblem {
  readonly cause: string;
  readonly fix: string;
}

/** The reason why the events of some resources have no single value of a field; null if those that have it do. */
function findFieldProblem(name: string, selected: readonly Resource[]): FieldProblem | null {
  const holders = selected.filter(
    (resource) => name === 'id' || publishedFields(resource).some((f) => f.name === name),
  );
  if (holders.length === 0) {
    const hidden = selected.find(({ field }) => field.get(name)?.writeOnly === true);
    if (hidden !== undefined) return { cause: `is writeOnly in ${hidden.name}: no event has it`, fix: OTHER_FIELD };
    return { cause: 'names no field of the resources of the types', fix: suggestPart(`data.${name}`, selected) };
  }
  const structured = holders.find(({ field }) => {
    const found = field.get(name);
    return found !== undefined && !isSingle(found.type);
  });
  if (structured !== undefined) return { cause: `is not a single value in ${structured.name}`, fix: OTHER_FIELD };
  const thin = holders.find(({ events }) => events === 'thin');
  if (thin === undefined) return null;
  const fix = `write events: full for ${thin.name}, or select other types`;
  return { cause: `needs events with data, which those of ${thin.name} do not have`, fix };
}

const OTHER_FIELD = 'use another field';

function isSingle({ kind }: ValueType): boolean {
  return !['binary', 'object', 'map', 'array', 'json'].includes(kind);
}
