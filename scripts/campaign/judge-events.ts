import { isObject, type Json, member, toText } from './client.ts';
import { type Fault, faultsWhere } from './fault.ts';
import type { KnownRows } from './known-rows.ts';
import { resources } from './resources.ts';

/** Judges the event log after a run (EVT-1, EVT-2). @param events the envelopes, in the order of the log */
export function eventFaults(events: readonly Json[], rows: KnownRows): readonly Fault[] {
  const sequences = events.map((event) => toText(member(member(event, 'metadata'), 'sequence')));
  const isAscending = sequences.every(
    (sequence, at) => /^\d{20}$/.test(sequence) && sequence > (sequences[at - 1] ?? ''),
  );
  const ids = new Set(events.map((event) => toText(member(event, 'id'))));
  return faultsWhere([
    [isAscending, '[EVT-3] sequences that ascend', ''],
    [ids.size === events.length, '[EVT-2] each event has an id of its own', ''],
    ...resources.map((resource) => {
      const { name, singular } = resource;
      const count = (type: string): number =>
        events.filter((event) => toText(member(event, 'type')) === `${singular}.${type}`).length;
      const left = count('created') - count('deleted');
      const found = name === 'orders' ? 0 : rows.of(resource).length;
      return [left === found, `[EVT-1] an event for each change of ${name}`, `${left} for ${found} rows`] as const;
    }),
    ...events.flatMap((event) => envelopeRules(event)),
  ]);
}

function envelopeRules(event: Json): readonly (readonly [boolean, string, string])[] {
  const names = isObject(event) ? Object.keys(event).join() : '';
  const payload = member(event, 'payload');
  const type = toText(member(event, 'type'));
  const isFull = type.startsWith('book.');
  const text = toText(payload);
  return [
    [names === 'id,type,payload,metadata', '[EVT-2] the members of an envelope', names],
    [/^[a-z]+\.(created|updated|deleted)$/.test(type), '[EVT-1] types', type],
    [isFull === (member(payload, 'data') !== null), '[EVT-2] data where the model says so', text],
    [member(member(payload, 'data'), 'cost') === null, '[REP-11] no value that is write-only', text],
  ];
}
