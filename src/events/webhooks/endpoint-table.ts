import { weakMemoize } from '../../cache/memoize.ts';
import { ANONYMOUS_CALLER } from '../../auth/policy-caller.ts';
import type { EventEnvelope } from '../../conventions/event.ts';
import { isJsonObject, type Json, type JsonObject } from '../../conventions/json.ts';
import { parseWebhookUrl, type WebhookUrl, type WebhookUrlRules } from '../../conventions/webhook-url.ts';
import type { Signer } from '../../conventions/webhook-signature.ts';
import type { PolicyCaller } from '../../model/policy.ts';
import type { WebhookResources } from '../../model/webhook-settings.ts';
import type { Contracts } from '../../pipeline/contract.ts';
import { VisibleRows } from '../../pipeline/read/visible-rows.ts';
import { bindPolicy } from '../../plan/bind-policy.ts';
import { isVisible } from '../../plan/holds.ts';
import { stringOf } from '../../model/values/access.ts';
import type { Row } from '../../plan/plan.ts';
import { isJudgedByRow, type Visibility, visibilityWhere } from '../../plan/visibility.ts';
import type { Seal } from '../../platform/seal.ts';
import type { Store } from '../../stores/store.ts';
import { EventView, type JudgedEvent } from '../../pipeline/read/event-view.ts';
import { typesOf } from '../../plan/event-types.ts';
import { compileEventFilter } from './event-filter.ts';
import { contractOf, matchesType } from './event-types.ts';
import { hmacSigner } from './signers.ts';

/** A webhook that is enabled, ready to be delivered to. */
export interface WebhookEndpoint {
  readonly id: string;
  /** Where it is sent, or why that cannot be called (any more). */
  readonly target: WebhookUrl;
  readonly format: 'native' | 'cloudevents';
  readonly ordered: boolean;
  /** Patterns of types as the log has them. */
  readonly patterns: readonly string[];
  /** Of the newest secret first. */
  readonly signers: readonly Signer[];
  /** An event as the webhook gets it; null where it does not, because of what its creator may see, or of its filter. */
  readonly see: (event: JudgedEvent) => EventEnvelope | null;
  /** The sequence after which it gets events. */
  readonly start: number;
  /** Milliseconds since the epoch: since when every attempt has failed; null if the last one succeeded. */
  readonly failingSince: number | null;
}

/** A window of the log that a webhook gets again. */
export interface Replay {
  readonly id: string;
  readonly row: Row;
  readonly webhook: string;
  readonly after: number;
  readonly last: number;
}

export interface EndpointTableOptions {
  readonly store: Pick<Store, 'rows' | 'stamps'>;
  readonly contracts: Contracts;
  readonly names: WebhookResources;
  readonly rules: WebhookUrlRules;
  /** Opens the secrets. */
  readonly seal: Seal;
  readonly origin: () => string;
  readonly now: () => number;
}

/** Milliseconds that a secret signs after a newer one was made. */
const ROTATION = 24 * 60 * 60_000;
/** Rows that are read at a time. */
const PAGE = 500;

/** Reads the webhooks of a store. */
export class EndpointTable {
  readonly rows: VisibleRows;
  readonly #options: EndpointTableOptions;

  constructor(options: EndpointTableOptions) {
    this.#options = options;
    this.rows = VisibleRows.unrestricted(options.store);
  }

  /** The webhooks that are enabled, by id. */
  async endpoints(): Promise<ReadonlyMap<string, WebhookEndpoint>> {
    const { names } = this.#options;
    const webhooks = await this.all(names.webhooks, [['status', 'enabled']]);
    const rotated = Map.groupBy(await this.all(names.secrets), (row) => stringOf(row['webhook_id']) ?? '');
    const found = webhooks.map((row) => [row.id, this.#endpoint(row, rotated.get(row.id) ?? [])] as const);
    return new Map(found.flatMap(([id, endpoint]) => (endpoint === null ? [] : [[id, endpoint] as const])));
  }

  /** One webhook, enabled or not; null where there is none that could be delivered to. */
  async endpoint(id: string): Promise<WebhookEndpoint | null> {
    const { names } = this.#options;
    const row = await this.rows.item({ resource: names.webhooks, id, within: [] });
    if (row === null) return null;
    return this.#endpoint(row, await this.all(names.secrets, [['webhook_id', id]]));
  }

  /** The replays that are not finished. */
  async replays(): Promise<readonly Replay[]> {
    const { names } = this.#options;
    const rows = await this.all(names.replays, [['status', 'pending']]);
    return rows.map((row) => ({
      id: row.id,
      row,
      webhook: stringOf(row['webhook_id']) ?? '',
      after: Number(row['after']),
      last: Number(row['last']),
    }));
  }

  /** All rows of a resource with some values, in the order of their ids. */
  async all(
    resource: string,
    equal: readonly (readonly [path: string, value: string])[] = [],
  ): Promise<readonly Row[]> {
    const rows: Row[] = [];
    for (;;) {
      const last = rows.at(-1);
      const page = await this.rows.list({
        kind: 'list',
        resource,
        within: [],
        filter: equal.map(([path, value]) => ({ path, operator: 'in', values: [value] })),
        order: [{ path: 'id', descending: false }],
        window: { kind: 'seek', after: last === undefined ? null : [last.id], backward: false, limit: PAGE },
        count: { kind: 'none' },
        effort: 'light',
      });
      rows.push(...page.rows);
      if (page.rows.length < PAGE) return rows;
    }
  }

  /** null for one whose version is no longer served, or whose secrets another server has sealed. */
  #endpoint(row: Row, rotated: readonly Row[]): WebhookEndpoint | null {
    const { contracts, rules, origin } = this.#options;
    const contract = contractOf(stringOf(row['version']) ?? '', contracts);
    const signers = this.#secrets(row, rotated).map(hmacSigner);
    if (contract === null || signers.length === 0) return null;
    const caller = callerOf(row);
    const patterns = stringsIn(row['event_types']);
    const since = row['failing_since'];
    const view = new EventView({ caller, contract, current: contracts.current, origin });
    const passes = filterOf(row['filter'] ?? null, patterns, caller, contract);
    return {
      id: row.id,
      target: parseWebhookUrl(stringOf(row['url']) ?? '', rules),
      format: row['format'] === 'cloudevents' ? 'cloudevents' : 'native',
      ordered: row['ordered'] === true,
      patterns: contract === contracts.current ? patterns : storedPatterns(patterns, contract, contracts),
      signers,
      // Each event is judged when it is read, and once more when it is sent.
      see: weakMemoize((event) => {
        const seen = view.of(event);
        return seen !== null && passes(seen) ? seen : null;
      }),
      start: Number(row['start']),
      failingSince: typeof since === 'string' ? Date.parse(since) : null,
    };
  }

  /** The secrets that sign: the newest, and those that a newer one has followed for less than a day. */
  #secrets(webhook: Row, rotated: readonly Row[]): readonly string[] {
    const all = [webhook, ...rotated.toSorted((one, other) => (one.created_at < other.created_at ? -1 : 1))];
    const active = all.filter((_row, index) => {
      const next = all[index + 1];
      return next === undefined || this.#options.now() - Date.parse(next.created_at) < ROTATION;
    });
    return active.toReversed().flatMap((row) => this.#options.seal.open(stringOf(row['secret']) ?? '') ?? []);
  }
}

/** As whom a webhook acts: its creator, with the scopes and claims that it had then. */
function callerOf({ owner, creator, claims }: Row): PolicyCaller {
  if (!isJsonObject(creator)) return ANONYMOUS_CALLER;
  const text = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);
  return {
    subject: text(creator['subject']),
    client: text(creator['client']),
    issuer: text(creator['issuer']),
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

/** The types that patterns of an older version mean, as the log has them. */
function storedPatterns(
  patterns: readonly string[],
  { model }: Contracts['current'],
  { current }: Contracts,
): readonly string[] {
  return [...model.resources.values()].flatMap((older) => {
    const stored = current.model.resources.get(older.name);
    if (stored === undefined) return [];
    return typesOf(stored).filter((type) => {
      const olderType = `${older.singular}${type.slice(stored.singular.length)}`;
      return patterns.some((pattern) => matchesType(pattern, olderType));
    });
  });
}

/** Judges events by the filter of a webhook. One that no longer fits the model lets nothing pass. */
function filterOf(
  filter: Json,
  patterns: readonly string[],
  caller: PolicyCaller,
  contract: Contracts['current'],
): (event: EventEnvelope) => boolean {
  if (typeof filter !== 'string') return () => true;
  const compiled = compileEventFilter(filter, patterns, contract);
  if (compiled.kind === 'invalid') return () => false;
  const { resources } = contract.model;
  const bySingular = new Map([...resources.values()].map((resource) => [resource.singular, resource]));
  const visibilities = new Map<string, Visibility | null>(
    [...compiled.policies].map(([name, policy]) => {
      const bound = bindPolicy(policy, { caller, resources });
      return [name, bound === null ? null : visibilityWhere(bound)];
    }),
  );
  return ({ payload }) => {
    const resource = bySingular.get(payload.resource.type);
    const visible = visibilities.get(resource?.name ?? '') ?? null;
    if (resource === undefined || visible === null || payload.data === undefined) return false;
    return isJudgedByRow(visible) && isVisible(resource, payload.data, visible);
  };
}
