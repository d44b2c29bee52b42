import { isJsonObject } from '../../../conventions/json/json.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import type { BrokerKind, BrokerTls, DestinationTemplate, RelaySettings, RelayTarget } from '../../relay-settings.ts';
import { readArray, readNumber, readObject, readString, readStrings } from '../../values/access.ts';
import {
  BROKER_RULES,
  BROKERS,
  findStreamProblem,
  findUrlProblem,
  OWN_MEMBERS,
  type OwnMember,
  templateName,
} from './broker-rules.ts';
import { parseTemplate } from './relay-template.ts';

const ALL_TYPES = ['*'];
const DEFAULT_ROUTING_KEY = '{type}';

/** An entry of `events.relays`, with the broker that it names. */
interface RelayEntry extends CompileContext {
  readonly kind: BrokerKind;
  /** The name of the API, of which defaults are made. */
  readonly api: string;
}

/**
 * Compiles `events.relays` of a document, and reports invalid entries. What depends on resources and versions is judged
 * by {@link judgeRelays}. No message contains a URL, which may have a password.
 */
export function compileRelays({ declared, path, report }: CompileContext): readonly RelaySettings[] {
  const names = new Set<string>();
  const api = readString(declared['name']) ?? '';
  return readArray(readObject(declared['events'])['relays']).flatMap((each, index): readonly RelaySettings[] => {
    const entry = { declared: readObject(each), path: [...path, 'events', 'relays', index], report };
    const kind = findBroker(entry);
    if (kind === null) return [];
    checkOwnMembers({ ...entry, kind, api });
    const relay = compileRelay({ ...entry, kind, api });
    if (names.has(relay.name)) {
      const at = [...entry.path, entry.declared['name'] === undefined ? kind : 'name'];
      report(
        at,
        `two relays have the name ${relay.name}`,
        `set name to another one, such as ${relay.name}-${index + 1}`,
      );
    }
    names.add(relay.name);
    return [relay];
  });
}

/** The broker that an entry names; null if it does not name exactly one, which is reported. */
function findBroker({ declared, path, report }: CompileContext): BrokerKind | null {
  const [kind, second] = BROKERS.filter((each) => declared[each] !== undefined);
  if (kind === undefined) {
    report(path, 'the relay names no broker', `write one of ${BROKERS.join(', ')} with the URL of the broker`);
    return null;
  }
  if (second === undefined) return kind;
  report([...path, second], `a relay has one broker, and this one has ${kind} and ${second}`, 'write a relay for each');
  return null;
}

/** Reports members that are those of other brokers. */
function checkOwnMembers({ kind, declared, path, report }: RelayEntry): void {
  const { destination } = BROKER_RULES[kind];
  for (const member of OWN_MEMBERS.filter((each) => declared[each] !== undefined && !hasMember(kind, each))) {
    const owners = BROKERS.filter((each) => hasMember(each, member));
    const isDestination = owners.some((each) => BROKER_RULES[each].destination === member);
    const fix = isDestination && declared[destination] === undefined ? `write ${destination}` : 'remove it';
    report([...path, member], `${member} is a member of ${owners.join(' and ')}, not of ${kind}`, fix);
  }
}

function hasMember(kind: BrokerKind, member: OwnMember): boolean {
  const { destination, others } = BROKER_RULES[kind];
  return destination === member || others.includes(member);
}

function compileRelay(entry: RelayEntry): RelaySettings {
  const { kind, declared } = entry;
  const { filter } = declared;
  return {
    name: readString(declared['name']) ?? kind,
    target: compileTarget(entry),
    types: declared['types'] === undefined ? ALL_TYPES : readStrings(declared['types']),
    filter: typeof filter === 'boolean' || isJsonObject(filter) ? JSON.stringify(filter) : null,
    version: readString(declared['version']),
    format: declared['format'] === 'cloudevents' ? 'cloudevents' : 'native',
  };
}

function compileTarget(entry: RelayEntry): RelayTarget {
  const { kind, api, declared } = entry;
  const { destination, standard } = BROKER_RULES[kind];
  return {
    kind,
    url: compileUrl(entry),
    credentialsFile: readString(declared['credentials_file']),
    tls: compileTls(entry),
    destination: compileTemplate(destination, standard(api), entry),
    routingKey: kind === 'rabbitmq' ? compileTemplate('routing_key', DEFAULT_ROUTING_KEY, entry) : null,
    stream: kind === 'nats' ? compileStream(entry) : null,
    create: declared['create'] === true,
    partitions: readNumber(declared['partitions']) ?? 1,
    dropsUnroutable: declared['unroutable'] === 'drop',
  };
}

function compileUrl({ kind, declared, path, report }: RelayEntry): string {
  const url = readString(declared[kind]) ?? '';
  const rules = BROKER_RULES[kind];
  const problem = findUrlProblem(url, rules);
  if (problem !== null) {
    const { plain, encrypted, port } = rules;
    const fix = `write ${plain}://host:${port}, or ${encrypted}:// for TLS; percent-encode the name and the password`;
    report([...path, kind], `the URL of ${kind} ${problem}`, fix);
  }
  return url;
}

function compileTls({ kind, declared, path, report }: RelayEntry): BrokerTls {
  const { ca_file: ca, cert_file: cert, key_file: key } = readObject(declared['tls']);
  const { encrypted, negotiatesTls } = BROKER_RULES[kind];
  const isEncrypted = negotiatesTls || readString(declared[kind])?.startsWith(`${encrypted}://`) === true;
  if (declared['tls'] !== undefined && !isEncrypted)
    report([...path, 'tls'], 'the URL of the relay is one without TLS', `write ${encrypted}:// in the URL`);
  if ((cert === undefined) !== (key === undefined)) {
    const [given, missing] = key === undefined ? ['cert_file', 'key_file'] : ['key_file', 'cert_file'];
    report([...path, 'tls', given], `${given} needs ${missing}`, 'write both, or none of them');
  }
  return { caFile: readString(ca), certFile: readString(cert), keyFile: readString(key) };
}

function compileTemplate(member: OwnMember, standard: string, entry: RelayEntry): DestinationTemplate {
  const { kind, declared, path, report } = entry;
  const { template, unknown, isBalanced } = parseTemplate(readString(declared[member]) ?? standard);
  if (!isBalanced) {
    const fix = 'write {type}, {collection} or {data.FIELD}, and no other braces';
    report([...path, member], `${member} has a brace without its other one`, fix);
    return template;
  }
  // A name without its unknown parts says nothing. They are reported by {@link judgeRelays}.
  const problem = unknown.length > 0 ? null : BROKER_RULES[kind].findProblem(templateName(template));
  if (problem !== null) report([...path, member], `${member} ${problem}`, 'write another name');
  return template;
}

function compileStream({ declared, path, report }: RelayEntry): string | null {
  const stream = readString(declared['stream']);
  const problem = stream === null ? null : findStreamProblem(stream);
  if (problem !== null) report([...path, 'stream'], `stream ${problem}`, 'write another name, such as SHOP');
  return stream;
}
