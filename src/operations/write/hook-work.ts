import { withWellFormedTexts } from '../../conventions/text/allowed-text.ts';
import { findApiKeyId } from '../../auth/api-keys.ts';
import { ApiError } from '../../conventions/errors.ts';
import type { JsonObject } from '../../conventions/json/json.ts';
import { timestamp } from '../../conventions/text/timestamp.ts';
import type { Resource } from '../../model/model.ts';
import { isHidden } from '../../model/row-key.ts';
import type { HookQuery, HookRow, HookRows, HookWrites, WriteContext } from '../../model/hooks.ts';
import { storedId } from '../../model/values/formats.ts';
import { deepFreeze } from '../../model/values/deep-freeze.ts';
import { relatedResources } from '../../plan/condition.ts';
import { readListQuery } from '../../plan/list/list-query.ts';
import { type Ancestor, type ExpectedStamp, type ListRead, type Row, type WritePlan } from '../../plan/plan.ts';
import { rowKey } from '../../plan/row-address.ts';
import { createPlan, updatePlan, type WriteAuthor } from '../../plan/write/write-plan.ts';
import { chain, type MaybePromise } from '../../platform/maybe-promise.ts';
import type { CompiledResource } from '../../contract/contract.ts';
import type { Caller } from '../caller.ts';
import type { Principal } from '../principal.ts';
import type { Sources } from '../sources.ts';
import type { VisibleRows } from '../visible-rows.ts';
import { planCascade } from './cascade.ts';
import { generateValues } from './generated.ts';
import { errorList, refineDraft, type RefinedDraft } from './refine.ts';
import { callerValues } from './row-access.ts';
import { checkRowSize } from './refusals/row-size.ts';
import { writeOrigin, type WriteServices } from './write.ts';

/** Services that hooks work with. */
export type ContextServices = Pick<WriteServices, 'application' | 'sources' | 'events'>;

/** The parameters of a hook's read, besides filters. */
const READ_PARAMETERS: ReadonlySet<string> = new Set(['q', 'sort', 'limit']);
/** Parameters that would select a page or a form. Hooks have no use for them. */
const PAGE_PARAMETERS: ReadonlySet<string> = new Set([
  'page',
  'offset',
  'after',
  'before',
  'fields',
  'expand',
  'count',
]);

/** The reads of the hooks of one write, and the writes that they have added to it. */
export class HookWork {
  readonly rows: HookRows;
  readonly system: HookRows;
  readonly writes: HookWrites;
  /** The context that the hooks of the write receive. */
  readonly context: WriteContext;
  readonly #system: Caller;
  readonly #author: WriteAuthor;
  readonly #sources: Sources;
  /** Bytes of a row that a hook writes. */
  readonly #maxSize: number;
  /** The stamp of each resource before it was first read. */
  readonly #stamps = new Map<string, number>();
  readonly #plans: WritePlan[] = [];
  readonly #written = new Set<string>();

  /** @param system the caller of the write in the newest contract */
  constructor(system: Caller, { application, events, sources }: ContextServices) {
    this.#system = system;
    this.#author = { events, origin: writeOrigin(system, { sources }) };
    this.#sources = sources;
    this.#maxSize = system.contract.model.limits.row;
    this.rows = this.#reader(system.rows);
    this.system = this.#reader(system.rows.unrestricted());
    this.writes = {
      create: (resource, values, parents = []) => this.#create(this.#located(resource, parents), values),
      update: (resource, id, changes, parents = []) => this.#update(this.#located(resource, parents), id, changes),
      delete: (resource, id, parents = []) => this.#delete(this.#located(resource, parents), id),
    };
    const { trace, principal } = system;
    this.context = {
      ...application,
      caller: shownCaller(principal),
      correlationId: trace.correlationId,
      at: timestamp(sources.now()),
      rows: this.rows,
      system: this.system,
      writes: this.writes,
    };
  }

  /**
   * Orders the added plans around a write to a row: plans that refer to the row come after it, all others before it.
   */
  plansFor(resource: Resource, id: string): HookPlans {
    const follows = (plan: WritePlan): boolean => this.#refersTo(plan, resource.name, id);
    return {
      before: this.#plans.filter((plan) => !follows(plan)),
      after: this.#plans.filter(follows),
      expectStamps: [...this.#stamps].map(([name, stamp]) => ({ resource: name, stamp })),
    };
  }

  #refersTo(plan: WritePlan, resource: string, id: string): boolean {
    if (plan.kind === 'delete') return false;
    if (plan.within.some((above) => above.resource === resource && above.id === id)) return true;
    return this.#compiled(plan.resource).resource.fields.some(({ name, reference }) => {
      const value = plan.values[name];
      return reference?.resource === resource && (Array.isArray(value) ? value.includes(id) : value === id);
    });
  }

  #reader(rows: VisibleRows): HookRows {
    return {
      get: async (resource, id, parents = []) => {
        const { compiled, within } = this.#located(resource, parents);
        const { name, id: rule } = compiled.resource;
        await this.#record([name, ...within.map((above) => above.resource)]);
        const row = await rows.item({ resource: name, id: storedId(rule, id), within });
        return row === null ? null : shownRow(row);
      },
      list: async (resource, query = {}, parents = []) => {
        const read = await this.#listRead(resource, query, parents);
        const page = await rows.list(read);
        return page.rows.map(shownRow);
      },
      count: async (resource, query = {}, parents = []) => {
        const read = await this.#listRead(resource, query, parents);
        const page = await rows.list({ ...read, count: { kind: 'exact' }, effort: 'unbounded' });
        return page.total?.count ?? page.rows.length;
      },
    };
  }

  async #listRead(name: string, query: HookQuery, parents: readonly string[]): Promise<ListRead> {
    const { compiled, within } = this.#located(name, parents);
    const unknown = Object.keys(query).find((parameter) => PAGE_PARAMETERS.has(parameter));
    if (unknown !== undefined)
      throw new Error(`a hook read ${name} by ${unknown}; use filters and ${[...READ_PARAMETERS].join(', ')}`);
    const given = { limit: this.#system.contract.model.limits.page.max, ...query };
    const parameters = Object.entries(given).map(([parameter, value]) => ({
      name: parameter,
      value: String(value),
      raw: String(value),
    }));
    const { plan } = asProgramError(name, () => readListQuery(compiled.list, within, parameters, false));
    const above = within.map(({ resource }) => resource);
    await this.#record([plan.resource, ...above, ...relatedResources(plan.filter)]);
    const { columns: _columns, ...read } = plan;
    return { ...read, window: { kind: 'seek', after: null, backward: false, limit: plan.window.limit } };
  }

  /** Remembers the stamps of resources before their rows are read. */
  async #record(resources: readonly string[]): Promise<void> {
    const unread = resources.filter((resource) => !this.#stamps.has(resource));
    if (unread.length === 0) return;
    const stamps = await this.#system.rows.storedStamps(unread);
    for (const [index, resource] of unread.entries()) this.#stamps.set(resource, stamps[index] ?? 0);
  }

  async #create({ compiled, within }: Located, { id: given, ...values }: JsonObject): Promise<string> {
    const { resource } = compiled;
    const id = typeof given === 'string' ? storedId(resource.id, given) : this.#sources.uuid();
    const message = compiled.validator.checkId(id);
    if (message !== null) throw new Error(`a hook created ${resource.name} with an invalid id: it ${message}`);
    const { parent, state } = resource;
    const initial = state === null ? {} : { [state.field]: state.initial };
    const author = callerValues(resource, this.#system.principal);
    const above = parent === null ? {} : { [parent.field]: within[0]?.id ?? null };
    this.#write(compiled, { id, within });
    // The plan is added in this tick unless a library validates, so that writes keep the order of a hook's calls.
    await chain(validated(compiled, { ...initial, ...author, ...values, ...above }, null), (checked) => {
      const inputs = { at: this.#author.origin.at, sources: this.#sources, context: () => this.context };
      // A secret that is shown once is not shown here.
      return chain(generateValues(compiled, checked, inputs), ({ values: made }) => {
        checkRowSize(resource, this.#maxSize, made, null);
        this.#plans.push(createPlan(this.#author, { resource, within, id }, made));
      });
    });
    return id;
  }

  async #update({ compiled, within }: Located, id: string, changes: JsonObject): Promise<void> {
    const { resource } = compiled;
    const row = await this.#current({ compiled, within }, id);
    this.#write(compiled, { id: row.id, within });
    const fields = Object.fromEntries(resource.fields.map(({ name }) => [name, row[name] ?? null]));
    const checked = await validated(compiled, { ...fields, ...changes }, row);
    checkRowSize(resource, this.#maxSize, checked, row);
    const plan = updatePlan(this.#author, { resource, within, row }, checked);
    if (plan !== null) this.#plans.push(plan);
  }

  async #delete({ compiled, within }: Located, id: string): Promise<void> {
    const { resource } = compiled;
    const row = await this.#current({ compiled, within }, id);
    const source = { contract: this.#system.contract.unrestricted(), rows: this.#system.rows.unrestricted() };
    const { plans } = await planCascade({ resource, row, within }, this.#author, source);
    for (const plan of plans) this.#write(this.#compiled(plan.resource), plan);
    this.#plans.push(...plans);
  }

  async #current({ compiled, within }: Located, id: string): Promise<Row> {
    const { name, id: rule } = compiled.resource;
    await this.#record([name]);
    const row = await this.#system.rows.unrestricted().item({ resource: name, id: storedId(rule, id), within });
    if (row === null) throw new Error(`a hook wrote to ${name} ${JSON.stringify(id)}, which does not exist`);
    return row;
  }

  /**
   * @throws {Error} if the hook has written the row before: revisions are assigned in the order of the plans, which is
   *   not the hook's
   */
  #write({ resource }: CompiledResource, address: Parameters<typeof rowKey>[1]): void {
    const key = rowKey(resource, address);
    if (this.#written.has(key)) throw new Error(`a hook wrote to ${resource.name} ${JSON.stringify(address.id)} twice`);
    this.#written.add(key);
  }

  #located(name: string, parents: readonly string[]): Located {
    const compiled = this.#compiled(name);
    const within: Ancestor[] = [];
    let { resource } = compiled;
    for (const id of parents) {
      if (resource.parent === null)
        throw new Error(`a hook named ${parents.length} parents of ${name}, which has ${within.length}`);
      resource = this.#compiled(resource.parent.resource).resource;
      within.push({ resource: resource.name, id: storedId(resource.id, id) });
    }
    if (resource.parent !== null)
      throw new Error(
        `a hook named no parent of ${name} above ${within.length}; it lies below ${resource.parent.resource}`,
      );
    return { compiled, within };
  }

  #compiled(name: string): CompiledResource {
    const { resources } = this.#system.contract.unrestricted();
    const compiled = resources.get(name);
    if (compiled === undefined)
      throw new Error(`a hook named the resource ${name}; the model has ${[...resources.keys()].join(', ')}`);
    return compiled;
  }
}

/** The caller as hooks see it. */
function shownCaller({ subject, issuer, client, owner, scopes, claims }: Principal): WriteContext['caller'] {
  return { subject, issuer, client, owner, scopes, claims, key: findApiKeyId({ issuer, claims }) };
}

/** The additions of hooks to a write: plans before and after its own, and the stamps of their reads. */
interface HookPlans {
  readonly before: readonly WritePlan[];
  readonly after: readonly WritePlan[];
  readonly expectStamps: readonly ExpectedStamp[];
}

const NO_PLANS: HookPlans = { before: [], after: [], expectStamps: [] };

/** Collects the additions of hooks to a write to a row. @param work null if no hook has run */
export function hookPlans(work: HookWork | null, resource: Resource, id: string): HookPlans {
  return work === null ? NO_PLANS : work.plansFor(resource, id);
}

/** A resource and the rows above one of its rows, nearest first. */
interface Located {
  readonly compiled: CompiledResource;
  readonly within: readonly Ancestor[];
}

/** Shows a row to the application's code: frozen, without hidden members. */
export function shownRow(row: Row): HookRow {
  const hidden = Object.keys(row).filter(isHidden);
  if (hidden.length === 0) return deepFreeze(row);
  const shown = { ...row };
  for (const name of hidden) Reflect.deleteProperty(shown, name);
  return deepFreeze(shown);
}

/** @throws {Error} for values that the schema does not allow: an error of the application, not of the caller */
function validated(compiled: CompiledResource, values: JsonObject, current: Row | null): MaybePromise<JsonObject> {
  const { resource, validator } = compiled;
  const validValues = (checked: RefinedDraft): JsonObject => {
    if (checked.kind === 'valid') return checked.values;
    const errors = errorList(checked.details);
    throw new Error(`a hook wrote values to ${resource.name} that the schema does not allow: ${errors}`);
  };
  const valid = validValues(validator.check(withWellFormedTexts(values), { unknown: 'refuse', texts: 'unchecked' }));
  return resource.hooks.refine === null ? valid : refineDraft(compiled, valid, current).then(validValues);
}

/** Runs a query of a hook, whose errors are not the caller's. */
function asProgramError<T>(resource: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new Error(`a hook read ${resource} by an invalid query: ${error.message} ${errorList(error.details)}`, {
      cause: error,
    });
  }
}
