import { apiError, type ErrorDetail, resourceError } from '../../../conventions/errors.ts';
import type { Json, JsonObject } from '../../../conventions/json/json.ts';
import { type HookServices, refuse, type WriteInfo } from '../../hooks.ts';
import type { UncheckedCode } from '../../typescript/split-definition.ts';
import { readObject, readString, readStrings } from '../../values/access.ts';
import { webhookChecks } from '../../webhook-checks.ts';
import type { WebhookResources } from '../../webhook-settings.ts';

type Context = HookServices & WriteInfo;

/** The type of the event that tests a webhook. */
export const PING = 'webhook.ping';

/** Events of the log in the window of a replay. */
export const MAX_REPLAYED = 10_000;

/** Rows that a hook reads at a time. */
const PAGE = 100;

/**
 * Judges webhooks, and records with each change as whom they act from then on (EVT-4).
 *
 * @param max webhooks that one owner may have
 * @param deletions gets the contexts of deletions, which take the secrets of a webhook along
 */
export function webhookHooks(
  { webhooks }: WebhookResources,
  max: number,
  deletions: WeakSet<object>,
): Partial<UncheckedCode> {
  return {
    before: {
      create: async (draft: JsonObject, context: Context) => {
        const complete: JsonObject = { ...draft, version: draft['version'] ?? webhookChecks(context).version };
        await judge(complete, null, context);
        await requireRoom(webhooks, max, context);
        return { ...complete, ...actor(context), start: await webhookChecks(context).lastSequence() };
      },
      update: async (draft: JsonObject, context: Context, current: JsonObject) => {
        const complete: JsonObject = { ...draft, version: draft['version'] ?? webhookChecks(context).version };
        const isEnabled = complete['status'] === 'enabled';
        // An administrator may stop the webhook of another caller; any other change takes it over.
        const isStopped = !isEnabled && onlyStatusDiffers(complete, current);
        // It delivers nothing then: who stops it need not be able to choose what it has.
        if (!isStopped) {
          await judge(complete, current, context);
          if (!isOwn(current, context)) await requireRoom(webhooks, max, context);
        }
        const isStarted = isEnabled && current['status'] !== 'enabled';
        const start = isStarted ? { start: await webhookChecks(context).lastSequence() } : {};
        const state = isEnabled ? { disabled_reason: null, failing_since: null, ...start } : {};
        return { ...complete, ...state, ...(isStopped ? {} : actor(context)) };
      },
      // It runs before the hooks of what the cascade deletes, which have the same context.
      delete: (_row: JsonObject, context: Context) => void deletions.add(context),
    },
  };
}

/** @throws {HookRefusal} where the caller has all the webhooks that it may have */
async function requireRoom(webhooks: string, max: number, { system, caller: { owner } }: Context): Promise<void> {
  const count = await system.count(webhooks, owner === null ? {} : { owner });
  if (count < max) return;
  const found = `${count} of at most ${max} webhooks`;
  refuse('CONFLICT', `A caller has at most ${max} webhooks; delete one that is not needed, or change one.`, [
    {
      field: 'url',
      message: owner === null ? `exceeds the ${found} of the API` : `exceeds the ${found} of the caller`,
    },
  ]);
}

/** @throws {ApiError} WEBHOOK_URL_FORBIDDEN @throws {HookRefusal} for patterns, filters and versions that are none */
async function judge(draft: JsonObject, current: JsonObject | null, context: Context): Promise<void> {
  const checks = webhookChecks(context);
  const details = checks.checkSelection({
    patterns: readStrings(draft['event_types']),
    filter: readString(draft['filter']),
    version: readString(draft['version']) ?? '',
    caller: context.caller,
  });
  if (details.length > 0) refuse('INVALID', 'The webhook is not valid; see details.', details);
  const url = readString(draft['url']) ?? '';
  const isChecked = current !== null && current['url'] === url && current['status'] === draft['status'];
  const message = isChecked ? null : await checks.checkUrl(url);
  if (message !== null) throw forbiddenUrl(message);
}

function forbiddenUrl(message: string): Error {
  return apiError('WEBHOOK_URL_FORBIDDEN', `The URL of a webhook ${message}.`, {
    details: [{ field: 'url', message }],
  });
}

/** As whom a webhook acts: its caller, with the scopes and claims that it has now. */
function actor({ caller }: Context): JsonObject {
  if (caller.scopes === null) return { owner: null, creator: null, claims: null, key_id: null };
  return {
    owner: caller.owner,
    creator: {
      issuer: caller.issuer,
      subject: caller.subject,
      client: caller.client,
      scopes: [...caller.scopes].toSorted(),
    },
    claims: JSON.stringify(caller.claims),
    key_id: caller.key,
  };
}

function onlyStatusDiffers(draft: JsonObject, current: JsonObject): boolean {
  const ignored = ['status', 'disabled_reason'];
  return Object.keys(draft).every(
    (name) => ignored.includes(name) || JSON.stringify(draft[name] ?? null) === JSON.stringify(current[name] ?? null),
  );
}

/**
 * Makes the caller that gets or ends a secret of a webhook the one that the webhook acts as (EVT-4f).
 *
 * @param deletions the contexts in which webhooks are deleted
 */
export function secretHooks({ webhooks }: WebhookResources, deletions: WeakSet<object>): Partial<UncheckedCode> {
  return {
    before: {
      create: async (draft: JsonObject, context: Context) => {
        await takeOver(draft, context);
        return draft;
      },
      delete: async (secret: JsonObject, context: Context) => {
        if (!deletions.has(context)) await takeOver(secret, context);
      },
    },
  };

  /** In the transaction of the write to the secret. */
  async function takeOver(secret: JsonObject, context: Context): Promise<void> {
    const id = readString(secret['webhook_id']) ?? '';
    const webhook = await context.system.get(webhooks, id);
    if (webhook === null || isOwn(webhook, context)) return;
    await context.writes.update(webhooks, id, actor(context));
  }
}

/** True if a webhook acts as the caller, with any scopes. */
function isOwn({ owner, creator }: JsonObject, { caller }: Context): boolean {
  return owner === caller.owner && (creator === null) === (caller.scopes === null);
}

/** A delivery that a caller creates sends an event again, or a ping (EVT-4d). */
export function deliveryHooks(names: WebhookResources): Partial<UncheckedCode> {
  return {
    before: {
      create: async (draft: JsonObject, context: Context) => {
        const { system } = context;
        const event = readString(draft['event_id']);
        const webhook = readString(draft['webhook_id']) ?? '';
        await requireKey(names, webhook, context);
        if (event === null) return { ...draft, type: pingType(draft['type'] ?? null) };
        if (draft['type'] !== null && draft['type'] !== undefined)
          refuse('INVALID', 'Send event_id or type.', [{ field: 'type', message: 'is that of the event' }]);
        const [sent] = await system.list(names.deliveries, { event_id: event, limit: 1 }, [webhook]);
        if (sent === undefined) throw unknownEvent();
        return { ...draft, type: sent['type'] ?? null, sequence: sent['sequence'] ?? null };
      },
    },
  };
}

/** @throws {HookRefusal} where a webhook has ended with the API key that made it */
async function requireKey({ webhooks }: WebhookResources, id: string, context: Context): Promise<void> {
  const webhook = await context.system.get(webhooks, id);
  const key = readString(webhook?.['key_id'] ?? null);
  const end = key === null ? null : await webhookChecks(context).keyEnd(key);
  if (end === null) return;
  const cause = end === 'key_expired' ? 'has expired' : 'was revoked';
  refuse('CONFLICT', `The API key that made the webhook ${cause}; enable the webhook with other credentials first.`);
}

function pingType(type: Json): string {
  if (type === PING) return PING;
  const details: readonly ErrorDetail[] = [{ field: 'event_id', message: `is required, unless type is ${PING}` }];
  return refuse('INVALID', `Send the event_id of a delivery, or {"type": "${PING}"}.`, details);
}

function unknownEvent(): never {
  return refuse('INVALID', 'The event was not delivered to this webhook; a replay sends events of a window.', [
    { field: 'event_id', message: 'must be the event of a delivery of this webhook' },
  ]);
}

const EXPIRED =
  'Events of this window may no longer be stored. Read the resources again, or choose a window that begins later.';

function tooManyEvents(count: number, from: string, fits: string | null): Error {
  const cure =
    fits !== null && Date.parse(fits) >= Date.parse(from)
      ? `the window from ${from} to ${fits} fits; request the rest when it is finished`
      : 'read the resources again instead';
  const message = `A replay sends at most ${MAX_REPLAYED} events, and the log has ${count} in this window; ${cure}.`;
  return resourceError('WEBHOOK', 'INVALID', message, { details: [{ field: 'to', message: cure }] });
}

/** A replay sends the events of a window of the log again (EVT-4e). */
export function replayHooks(names: WebhookResources): Partial<UncheckedCode> {
  return {
    before: {
      create: async (draft: JsonObject, context: Context) => {
        const [from, to] = [readString(draft['from']) ?? '', readString(draft['to']) ?? ''];
        if (Date.parse(from) > Date.parse(to))
          refuse('INVALID', 'The window of a replay ends before it begins.', [
            { field: 'to', message: 'must not be before from' },
          ]);
        const webhook = readString(draft['webhook_id']) ?? '';
        await requireKey(names, webhook, context);
        const window = await webhookChecks(context).window(from, to);
        if (window === null) throw apiError('EVENT_POSITION_EXPIRED', EXPIRED);
        const { after, last, fits } = window;
        if (last - after > MAX_REPLAYED) throw tooManyEvents(last - after, from, fits);
        const [pending] = await context.system.list(names.replays, { status: 'pending', limit: 1 }, [webhook]);
        if (pending !== undefined)
          refuse(
            'CONFLICT',
            `Replay ${pending.id} of the webhook is pending; wait until it is finished, or delete it.`,
          );
        return { ...draft, after, last };
      },
    },
  };
}

/** Disables the webhooks that were created with an API key, in the transaction that deletes it (EVT-4f). */
export async function disableKeyWebhooks(
  key: string,
  names: WebhookResources,
  { system, writes }: Context,
): Promise<void> {
  // A page has fewer rows than it may have where `limits.page.max` is less: only an empty one is the last.
  for (let last: string | null = ''; last !== null; ) {
    const after = last === '' ? {} : { 'id[gt]': last };
    const query = { key_id: key, status: 'enabled', sort: 'id', limit: PAGE, ...after };
    const found = await system.list(names.webhooks, query);
    for (const { id } of found)
      await writes.update(names.webhooks, id, { status: 'disabled', disabled_reason: 'key_revoked' });
    last = found.at(-1)?.id ?? null;
  }
}

/** The claims of a stored webhook. */
export function parseClaims(stored: Json): JsonObject {
  return readObject(JSON.parse(readString(stored) ?? '{}'));
}
