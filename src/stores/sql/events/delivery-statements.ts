import { weakMemoize } from '../../../cache/memoize.ts';
import { type DeliveryPlan, RETENTION_READER } from '../../../plan/delivery-plan.ts';
import type { Dialect, Statement } from '../dialect.ts';
import { type Prepare, prepareStatement } from '../prepare.ts';
import { selectLastSequence } from '../log-numbers.ts';
import { BLOCK_SIZE, removeBlock } from './event-statements.ts';

const DELIVERY = 'endpoint, sequence, reader, state, attempts, due, resource';

/** A query of the strings of a JSON array. */
const names = (dialect: Dialect): string => `select value from ${dialect.textRows('?')}`;

/** The statements that read and write readers, subscriptions and deliveries. */
export interface DeliveryStatements {
  /** Columns: `name`, `sequence`, `owner`, `leased_until`. */
  readonly reader: Prepare;
  readonly addReader: Prepare;
  /** Returns a row if the reader still had the lease that was found. */
  readonly lease: Prepare;
  readonly advance: Prepare;
  readonly addSubscriptions: Prepare;
  /** Columns: `name`, `position`. */
  readonly positions: Prepare;
  readonly setPosition: Prepare;
  readonly removeSubscription: Prepare;
  readonly removeDeliveries: Prepare;
  readonly setDelivery: Prepare;
  readonly release: Prepare;
  readonly storedAfter: Prepare;
  readonly waiting: Prepare;
  readonly due: Prepare;
  readonly openResources: Prepare;
  readonly deliveries: Prepare;
  readonly deliveriesInStates: Prepare;
  /**
   * Parameters: sequence, a JSON array of readers, limit. Columns: `endpoint`, `sequence`, `state`; as of `succeeded`,
   * whose parameters are a time and a limit.
   */
  readonly ofRemoved: Prepare;
  readonly succeeded: Prepare;
  readonly clear: Prepare;
  /** Reads a row where one is behind. Parameters: the sequence twice. */
  readonly behind: Prepare;
}

export const deliveryStatements = weakMemoize((dialect: Dialect): DeliveryStatements => {
  const of = (text: string): Prepare => prepareStatement(dialect, text);
  return {
    ...subscriptionStatements(dialect),
    setDelivery: of(`insert into restwright_deliveries (${DELIVERY}) values (?, ?, ?, ?, ?, ?, ?)
on conflict (endpoint, sequence) do update set
  state = excluded.state, attempts = excluded.attempts, due = excluded.due, resource = excluded.resource`),
    release: of(`update restwright_deliveries set state = 'waiting', due = ? where endpoint = ? and sequence =
  (select min(sequence) from restwright_deliveries
   where endpoint = ? and resource = ? and state = 'held')`),
    storedAfter: of('select sequence from restwright_deliveries where endpoint = ? and sequence > ?'),
    // The endpoints one by one: a subscription may have any number of waiting deliveries.
    waiting: of(`with recursive each_endpoint (endpoint) as (
  select min(endpoint) from restwright_deliveries where reader = ? and state = 'waiting'
  union all
  select (select min(endpoint) from restwright_deliveries
    where reader = ? and state = 'waiting' and endpoint > each_endpoint.endpoint)
  from each_endpoint where endpoint is not null
)
select endpoint, (select min(due) from restwright_deliveries as delivery
  where reader = ? and state = 'waiting' and delivery.endpoint = each_endpoint.endpoint) as due
from each_endpoint where endpoint is not null`),
    due: of(`select ${DELIVERY} from restwright_deliveries
where reader = ? and state = 'waiting' and endpoint = ? and (due <= ? or due > ?) order by due, sequence limit ?`),
    openResources: of(`select endpoint, resource, count(*) as count from restwright_deliveries
where resource is not null and state in ('waiting', 'held') and reader = ? and endpoint in (${names(dialect)})
group by endpoint, resource`),
    deliveries: of(`select ${DELIVERY} from restwright_deliveries
where endpoint = ? and sequence >= ? and sequence < ? order by sequence desc limit ?`),
    deliveriesInStates: of(`select ${DELIVERY} from restwright_deliveries
where endpoint = ? and state in (${names(dialect)}) and sequence >= ? and sequence < ? order by sequence desc limit ?`),
    ...expiryStatements(dialect),
  };
});

function expiryStatements(dialect: Dialect) {
  const of = (text: string): Prepare => prepareStatement(dialect, text);
  const key = 'select endpoint, sequence, state from restwright_deliveries';
  return {
    ofRemoved: of(`${key} where sequence <= ?
and (resource is null or state in ('succeeded', 'dead') or reader not in (${names(dialect)})) order by sequence limit ?`),
    succeeded: of(`${key} where state = 'succeeded' and due < ? order by due limit ?`),
    clear: of('delete from restwright_deliveries where endpoint = ? and sequence = ? and state = ?'),
    behind: of(`select 1 from restwright_readers where name <> '${RETENTION_READER}' and sequence < ?
union all select 1 from restwright_subscriptions where position < ? limit 1`),
  };
}

function subscriptionStatements(dialect: Dialect) {
  const of = (text: string): Prepare => prepareStatement(dialect, text);
  return {
    reader: of('select name, sequence, owner, leased_until from restwright_readers where name = ?'),
    addReader: of(`insert into restwright_readers (name, sequence, owner, leased_until)
values (?, ${selectLastSequence(dialect)}, '', 0) on conflict (name) do nothing`),
    lease: of(`update restwright_readers set owner = ?, leased_until = ?
where name = ? and owner = ? and leased_until = ? returning name`),
    advance: of('update restwright_readers set sequence = ?, leased_until = ? where name = ? and owner = ?'),
    addSubscriptions: of(`insert into restwright_subscriptions (name, position)
select value, ${selectLastSequence(dialect)} from ${dialect.textRows('?')} where true on conflict (name) do nothing`),
    positions: of(`select name, position from restwright_subscriptions
where position is not null and name in (${names(dialect)})`),
    setPosition: of(`insert into restwright_subscriptions (name, position) values (?, ?)
on conflict (name) do update set position = excluded.position`),
    removeDeliveries: of('delete from restwright_deliveries where endpoint = ?'),
    removeSubscription: of('delete from restwright_subscriptions where name = ?'),
  };
}

/** A statement of a plan, and whether the plan is refused where it changes nothing. */
export interface DeliveryStatement {
  readonly statement: Statement;
  readonly isExpected: boolean;
}

/**
 * The statements of a plan, in order.
 *
 * @param last the last sequence that the unit assigned, or that was assigned before it
 */
export function compileDelivery(dialect: Dialect, plan: DeliveryPlan, last: number): readonly DeliveryStatement[] {
  const prepared = deliveryStatements(dialect);
  const { progress, starts = [], ends = [], deliveries = [], releases = [], cleared = [] } = plan;
  const { removeThrough } = plan;
  const fenced =
    progress === undefined
      ? []
      : [prepared.advance(progress.sequence, progress.until, progress.reader, progress.owner)];
  const statements = [
    ...(progress?.positions ?? []).map(({ name, sequence }) => prepared.setPosition(name, sequence)),
    ...starts.map(({ name, after }) => prepared.setPosition(name, after === 'end' ? last : after)),
    ...ends.flatMap((name) => [prepared.removeDeliveries(name), prepared.removeSubscription(name)]),
    ...deliveries.map(({ endpoint, sequence, reader, state, attempts, due, resource }) =>
      prepared.setDelivery(endpoint, sequence, reader, state, attempts, due, resource),
    ),
    ...releases.map(({ endpoint, resource, due }) => prepared.release(due, endpoint, endpoint, resource)),
    ...cleared.map(({ endpoint, sequence, state }) => prepared.clear(endpoint, sequence, state)),
    ...(removeThrough === undefined ? [] : removeBlock(dialect, removeThrough)),
  ];
  return [
    ...fenced.map((statement) => ({ statement, isExpected: true })),
    ...statements.map((statement) => ({ statement, isExpected: false })),
  ];
}

/** The number of rows that a plan changes: what it adds to a transaction. */
export function deliverySize(plan: DeliveryPlan): number {
  const { progress, starts, ends, deliveries, releases, cleared, removeThrough } = plan;
  return [progress?.positions, starts, ends, deliveries, releases, cleared].reduce(
    (sum, list) => sum + (list?.length ?? 0),
    removeThrough === undefined ? 0 : BLOCK_SIZE,
  );
}
