import type { JsonObject } from '../../../conventions/json/json.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import { readArray, readObject, readString } from '../../values/access.ts';

/** The collection of relays, where `system` does not rename it. */
const COLLECTION = 'relays';

const TIME: JsonObject = { type: 'string', format: 'date-time' };

/** The state of each relay, declared like any resource (EVT-9). The reader of the log writes it. */
const RELAYS: JsonObject = {
  read_only: true,
  id: { client: '^[a-z][a-z0-9-]{0,40}$' },
  events: 'none',
  sort: 'id',
  schema: {
    type: 'object',
    description: 'Relays of the event log to message brokers',
    required: ['broker', 'address', 'destination', 'format', 'version', 'types', 'position', 'lag', 'state'],
    properties: {
      broker: { type: 'string', enum: ['nats', 'redis', 'rabbitmq', 'kafka'] },
      address: { type: 'string', description: 'Host and port' },
      destination: { type: 'string', description: 'The subject, stream, exchange or topic' },
      format: { type: 'string', enum: ['native', 'cloudevents'] },
      version: { type: 'string', description: 'The version of the events' },
      types: { type: 'array', items: { type: 'string' }, description: 'The types of events that it sends' },
      position: { type: 'string', description: 'The sequence up to which the log has been sent' },
      lag: { type: 'integer', description: 'Events of the log after the position, at the time of updated_at' },
      state: { type: 'string', enum: ['running', 'failing'] },
      last_error: { type: 'string' },
      last_error_at: TIME,
      sent_at: { ...TIME, description: 'When the broker last acknowledged events' },
    },
  },
};

/** The name of the resource of relays; null where the model has none. */
export function relaysName(document: CompileContext['declared']): string | null {
  if (readArray(readObject(document['events'])['relays']).length === 0) return null;
  return (readString(readObject(document['system'])[COLLECTION]) ?? COLLECTION).replaceAll('-', '_');
}

/** Adds the resource of relays to a document that has them. Reports a resource that has its name. */
export function withRelays(document: CompileContext): CompileContext {
  const name = relaysName(document.declared);
  if (name === null) return document;
  const resources = readObject(document.declared['resources']);
  if (name in resources) {
    const fix = 'rename it, or set another name for the collection of relays: system: { relays: brokers }';
    document.report(['resources', name], `${name} is the collection of relays`, fix);
    return document;
  }
  return { ...document, declared: { ...document.declared, resources: { ...resources, [name]: RELAYS } } };
}
