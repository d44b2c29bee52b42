import { weakMemoize } from '../../cache/memoize.ts';
import { ANONYMOUS_CALLER } from '../../auth/policy-caller.ts';
import type { EventEnvelope } from '../../conventions/events/event.ts';
import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';
import { parseWebhookUrl, type WebhookUrl, type WebhookUrlRules } from '../../conventions/events/webhook-url.ts';
import type { Signer } from '../../conventions/events/webhook-signature.ts';
import { currentIssuerName } from '../../model/issuer-names.ts';
import type { Model } from '../../model/model.ts';
import type { PolicyCaller } from '../../model/policy.ts';
import { readString } from '../../model/values/access.ts';
import type { Contracts } from '../../contract/contract.ts';
import { EventView, type JudgedEvent } from '../../operations/read/event-view.ts';
import type { Row } from '../../plan/plan.ts';
import { compileEventSelection, storedPatterns } from '../event-selection.ts';
import { findContract } from './find-contract.ts';
import { activeSigners, type SigningKey } from './signing-keys.ts';

/** An enabled webhook, ready to be called. */
export interface WebhookEndpoint {
  readonly id: string;
  /** Names the owner whose webhooks share places; one without an owner has its own. */
  readonly owner: string;
  /** The target of its requests, or the reason why it cannot be called anymore. */
  readonly target: WebhookUrl;
  readonly format: 'native' | 'cloudevents';
  readonly ordered: boolean;
  /** The id of the API key with which it was made; null if it was made with other credentials. */
  readonly keyId: string | null;
  /** Patterns of types as the log has them. */
  readonly patterns: readonly string[];
  /** Lists the signers, that of the newest secret first. @param now milliseconds since the epoch */
  readonly signers: (now: number) => readonly Signer[];
  /** Shows an event as the webhook gets it; null if its creator may not see the event, or its filter excludes it. */
  readonly see: (event: JudgedEvent) => EventEnvelope | null;
  /** The sequence after which it gets events. */
  readonly start: number;
  /** The time since which every attempt has failed, in milliseconds since the epoch; null if the last one succeeded. */
  readonly failingSince: number | null;
}

export interface EndpointContext {
  readonly contracts: Contracts;
  readonly rules: WebhookUrlRules;
  readonly origin: () => string;
}

/** Compiles the row of a webhook. @returns null if its version is no longer served, or it has no key */
export function webhookEndpoint(
  row: Row,
  keys: readonly SigningKey[],
  { contracts, rules, origin }: EndpointContext,
): WebhookEndpoint | null {
  const contract = findContract(readString(row['version']) ?? '', contracts);
  if (contract === null || keys.length === 0) return null;
  const caller = restoreCaller(row, contracts.current.model);
  const patterns = stringsIn(row['event_types']);
  const since = row['failing_since'];
  const view = new EventView({ caller, contract, current: contracts.current, origin });
  const passes = compileEventSelection(row['filter'] ?? null, patterns, { caller, contract });
  return {
    id: row.id,
    owner: webhookOwner(row),
    target: parseWebhookUrl(readString(row['url']) ?? '', rules),
    format: row['format'] === 'cloudevents' ? 'cloudevents' : 'native',
    ordered: row['ordered'] === true,
    keyId: readString(row['key_id']) ?? null,
    patterns: contract === contracts.current ? patterns : storedPatterns(patterns, contract, contracts),
    signers: (now) => activeSigners(keys, now),
    // Each event is judged when it is read, and once more when it is sent.
    see: weakMemoize((event) => {
      const seen = view.of(event);
      return seen !== null && passes(seen) ? seen : null;
    }),
    start: Number(row['start']),
    failingSince: typeof since === 'string' ? Date.parse(since) : null,
  };
}

/** Names the owner of a webhook; one without an owner has a name of its own. */
export function webhookOwner(row: Row): string {
  return readString(row['owner']) ?? `webhook:${row.id}`;
}

/** Restores the caller as which a webhook acts: its creator, with the scopes and claims that it had then. */
function restoreCaller({ owner, creator, claims }: Row, { auth }: Pick<Model, 'auth'>): PolicyCaller {
  if (!isJsonObject(creator)) return ANONYMOUS_CALLER;
  const text = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);
  const issuer = text(creator['issuer']);
  return {
    subject: text(creator['subject']),
    client: text(creator['client']),
    issuer: issuer === null ? null : currentIssuerName(issuer, auth?.issuers ?? []),
    owner: text(owner),
    scopes: new Set(stringsIn(creator['scopes'])),
    claims: objectIn(claims),
  };
}

function objectIn(text: Json | undefined): JsonObject {
  const value: Json = JSON.parse(typeof text === 'string' ? text : '{}');
  return isJsonObject(value) ? value : {};
}

function stringsIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
