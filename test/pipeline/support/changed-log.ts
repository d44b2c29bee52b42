import type { EventLog, LoggedEvent } from '../../../src/stores/store.ts';

/** The same log with other methods. */
export function changedLog(events: EventLog, others: Partial<EventLog>): EventLog {
  return {
    after: (sequence, limit) => events.after(sequence, limit),
    list: (query) => events.list(query),
    types: (after, until) => events.types(after, until),
    lookup: (sequences) => events.lookup(sequences),
    find: (id) => events.find(id),
    lastSequence: () => events.lastSequence(),
    range: () => events.range(),
    nextExpired: (query) => events.nextExpired(query),
    ...others,
  };
}

/** An event at another place. */
export function at({ type, event, json, access }: LoggedEvent, sequence: number): LoggedEvent {
  return { sequence, type, event, json, access };
}

/** A log that has lost its beginning. */
export function withoutFirst(events: EventLog, removed: { readonly count: number }): EventLog {
  return changedLog(events, {
    list: (query) => events.list({ ...query, after: Math.max(query.after, removed.count) }),
    range: async () => ({ ...(await events.range()), removed: removed.count }),
  });
}
