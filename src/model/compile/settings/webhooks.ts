import type { JsonObject } from '../../../conventions/json/json.ts';
import { EVENT_PATTERN } from '../../../conventions/events/event-pattern.ts';
import { parseAllowedHosts } from '../../../conventions/events/webhook-url.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import type { UncheckedCode } from '../../typescript/split-definition.ts';
import { readNumber, readObject, readString, readStrings } from '../../values/access.ts';
import { parseDuration } from '../../values/parse-units.ts';
import type { WebhookResources, WebhookSettings } from '../../webhook-settings.ts';
import { compileRetention } from './retention.ts';
import { deliveryHooks, replayHooks, secretHooks, webhookHooks } from './webhook-hooks.ts';

/** The collection of webhooks, where `system` does not rename it. */
const COLLECTION = 'webhooks';

const DEFAULT_RETRY = ['0s', '5s', '5m', '30m', '2h', '5h', '10h', '14h', '20h', '24h'];
const DEFAULT_TIMEOUT = '15s';
const DEFAULT_KEPT = '7d';
const DEFAULT_MAX_PER_OWNER = 50;
/** Attempts that a delivery lists at most. */
const MAX_ATTEMPTS = 50;

const READ_ONLY_TIME: JsonObject = { type: 'string', format: 'date-time', readOnly: true };

const WEBHOOKS: JsonObject = {
  own: true,
  compact: true,
  singular: 'webhook',
  events: 'disabled',
  schema: {
    type: 'object',
    required: ['url', 'event_types'],
    properties: {
      url: { type: 'string', minLength: 1, maxLength: 2_048 },
      event_types: {
        type: 'array',
        items: { type: 'string', pattern: EVENT_PATTERN },
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
      },
      format: { type: 'string', enum: ['native', 'cloudevents'], default: 'native' },
      status: { type: 'string', enum: ['enabled', 'disabled'], default: 'enabled' },
      disabled_reason: { type: 'string', enum: ['gone', 'failing', 'key_revoked', 'key_expired'], readOnly: true },
      ordered: { type: 'boolean', default: false },
      filter: { type: 'string', minLength: 2, maxLength: 10_000 },
      version: { type: 'string', pattern: '^[0-9]{1,9}(?:\\.[0-9]{1,9}){0,2}$' },
      description: { type: 'string', maxLength: 500 },
      owner: { type: 'string', readOnly: true },
      creator: {
        type: 'object',
        readOnly: true,
        properties: {
          issuer: { type: 'string' },
          subject: { type: 'string' },
          client: { type: 'string' },
          scopes: { type: 'array', items: { type: 'string' } },
        },
      },
      claims: { type: 'string', readOnly: true },
      key_id: { type: 'string', readOnly: true },
      failing_since: READ_ONLY_TIME,
      start: { type: 'integer', readOnly: true },
      secret: { type: 'string', 'x-shown-once': true },
    },
  },
  generated: { secret: { secret: 'whsec_', sealed: true } },
  indexes: ['key_id', 'status', 'revision'],
};

const SECRETS: JsonObject = {
  compact: true,
  singular: 'webhook_secret',
  collection: 'secrets',
  on_parent_delete: 'cascade',
  events: 'none',
  schema: { type: 'object', properties: { secret: { type: 'string', 'x-shown-once': true } } },
  generated: { secret: { secret: 'whsec_', sealed: true } },
  indexes: ['revision'],
};

const DELIVERIES: JsonObject = {
  compact: true,
  singular: 'webhook_delivery',
  collection: 'deliveries',
  on_parent_delete: 'cascade',
  events: 'none',
  schema: {
    type: 'object',
    properties: {
      event_id: { type: 'string', format: 'uuid', 'x-immutable': true },
      type: { type: 'string', maxLength: 140, 'x-immutable': true },
      sequence: { type: 'string', readOnly: true },
      status: {
        type: 'string',
        enum: ['pending', 'retrying', 'succeeded', 'dead'],
        default: 'pending',
        readOnly: true,
      },
      attempts: {
        type: 'array',
        maxItems: MAX_ATTEMPTS,
        readOnly: true,
        items: {
          type: 'object',
          properties: {
            at: { type: 'string', format: 'date-time' },
            duration: { type: 'integer' },
            status_code: { type: 'integer' },
            response: { type: 'string' },
            error: { type: 'string' },
          },
        },
      },
      next_attempt_at: READ_ONLY_TIME,
      replay_id: { type: 'string', readOnly: true },
    },
  },
  indexes: ['event_id', ['status', 'created_at']],
  sort: '-created_at',
};

const REPLAYS: JsonObject = {
  compact: true,
  singular: 'webhook_replay',
  collection: 'replays',
  on_parent_delete: 'cascade',
  events: 'none',
  schema: {
    type: 'object',
    required: ['from', 'to'],
    properties: {
      from: { type: 'string', format: 'date-time', 'x-immutable': true },
      to: { type: 'string', format: 'date-time', 'x-immutable': true },
      status: { type: 'string', enum: ['pending', 'finished'], default: 'pending', readOnly: true },
      after: { type: 'integer', readOnly: true },
      last: { type: 'integer', readOnly: true },
    },
  },
  indexes: ['status'],
};

/** The resources below webhooks, by name. */
const BELOW: Readonly<Record<Exclude<keyof WebhookResources, 'webhooks'>, JsonObject>> = {
  secrets: SECRETS,
  deliveries: DELIVERIES,
  replays: REPLAYS,
};

/** The names of the resources of webhooks; null where the model has none. */
export function webhookResources(document: CompileContext['declared']): WebhookResources | null {
  if (document['webhooks'] === undefined) return null;
  const collection = readString(readObject(document['system'])[COLLECTION]) ?? COLLECTION;
  return {
    webhooks: collection.replaceAll('-', '_'),
    secrets: 'webhook_secrets',
    deliveries: 'webhook_deliveries',
    replays: 'webhook_replays',
  };
}

/** Compiles `webhooks` of a document, and reports hosts that are none. null where the model has no webhooks. */
export function compileWebhooks({ declared, path, report }: CompileContext): WebhookSettings | null {
  const resources = webhookResources(declared);
  if (resources === null) return null;
  const section = readObject(declared['webhooks']);
  const retry = section['retry'] === undefined ? DEFAULT_RETRY : readStrings(section['retry']);
  const hosts = parseAllowedHosts(readStrings(section['allow_hosts']));
  if (hosts.kind === 'invalid') {
    const fix = 'write a name such as hooks.internal, an address, or a network such as 10.0.0.0/8';
    report([...path, 'webhooks', 'allow_hosts'], `${hosts.entry} is not a valid host`, fix);
  }
  return {
    resources,
    retry: retry.flatMap((delay) => parseDuration(delay) ?? []),
    timeout: parseDuration(readString(section['timeout']) ?? DEFAULT_TIMEOUT) ?? 0,
    maxPerOwner: maxPerOwner(section),
    keepDeliveries: compileRetention(
      section['keep_deliveries'] ?? DEFAULT_KEPT,
      [...path, 'webhooks', 'keep_deliveries'],
      report,
    ),
    allowed: hosts.kind === 'valid' ? hosts.hosts : { names: new Set(), ranges: [] },
  };
}

function maxPerOwner(section: JsonObject): number {
  return readNumber(section['max_per_owner']) ?? DEFAULT_MAX_PER_OWNER;
}

/**
 * Adds the resources of webhooks to a document that has them, and their code. Reports resources that have their names.
 */
export function withWebhooks<T extends UncheckedCode>(
  document: CompileContext,
  code: ReadonlyMap<string, T | UncheckedCode>,
): { readonly document: CompileContext; readonly code: ReadonlyMap<string, T | UncheckedCode> } {
  const names = webhookResources(document.declared);
  if (names === null) return { document, code };
  const resources = readObject(document.declared['resources']);
  const segments = Object.values(BELOW).map(({ collection }) => collection);
  const taken = Object.keys(resources).filter(
    (name) => Object.values(names).includes(name) || segments.includes(name.replaceAll('_', '-')),
  );
  for (const name of taken)
    document.report(['resources', name], `${name} is a collection of webhooks`, 'rename it, or remove webhooks');
  if (taken.length > 0) return { document, code };
  const hasAuth = document.declared['auth'] !== undefined;
  const own = {
    [names.webhooks]: hasAuth ? { ...WEBHOOKS, access: webhookAccess(names.webhooks) } : WEBHOOKS,
    [names.secrets]: { ...SECRETS, parent: names.webhooks },
    [names.deliveries]: { ...DELIVERIES, parent: names.webhooks },
    [names.replays]: { ...REPLAYS, parent: names.webhooks },
  };
  const deletions = new WeakSet();
  const hooks: readonly (readonly [string, Partial<UncheckedCode>])[] = [
    [names.webhooks, webhookHooks(names, maxPerOwner(readObject(document.declared['webhooks'])), deletions)],
    [names.secrets, secretHooks(names, deletions)],
    [names.deliveries, deliveryHooks(names)],
    [names.replays, replayHooks(names)],
  ];
  return {
    document: { ...document, declared: { ...document.declared, resources: { ...resources, ...own } } },
    code: new Map([...code, ...hooks.map(([name, members]) => [name, { validate: null, ...members }] as const)]),
  };
}

/** A caller sees its own webhooks; what a token says of a caller is for administrators. */
function webhookAccess(name: string): JsonObject {
  const scope = webhookAdminScope(name);
  return { owner: { field: 'owner', bypass: scope }, fields: { claims: { read: { scope } } } };
}

/** The scope that manages the webhooks of every caller. @param name of the resource of webhooks */
export function webhookAdminScope(name: string): string {
  return `${name.replaceAll('_', '-')}:admin`;
}
