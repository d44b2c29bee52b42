import type { BrokerKind, DestinationTemplate } from '../../relay-settings.ts';

/** The rules of a broker for the entries of `events.relays` that name it. */
export interface BrokerRules {
  /** The schemes of its URLs. */
  readonly plain: string;
  readonly encrypted: string;
  readonly port: number;
  /** True if its URL may name several hosts, separated by commas. */
  readonly hasSeveralHosts: boolean;
  /** True if a connection may be encrypted without the scheme for TLS: the server decides. */
  readonly negotiatesTls: boolean;
  /** The member that is the destination, and the others that are its own. */
  readonly destination: OwnMember;
  readonly others: readonly OwnMember[];
  /** Makes the destination by default from the name of the API. */
  readonly standard: (api: string) => string;
  /** Describes the error of a name, in which `x` stands for each part that depends on the event; null if valid. */
  readonly findProblem: (name: string) => string | null;
}

/** The members of an entry that are those of some brokers only. */
export type OwnMember = (typeof OWN_MEMBERS)[number];

export const OWN_MEMBERS = [
  'subject',
  'stream',
  'exchange',
  'routing_key',
  'unroutable',
  'topic',
  'partitions',
] as const;

export const BROKERS = ['nats', 'redis', 'rabbitmq', 'kafka'] as const satisfies readonly BrokerKind[];

const MAX_TOPIC = 249;
/** Bytes of the name of an exchange, and of a routing key: AMQP writes them as short strings. */
const MAX_SHORT_STRING = 255;

export const BROKER_RULES: Readonly<Record<BrokerKind, BrokerRules>> = {
  nats: {
    plain: 'nats',
    encrypted: 'tls',
    port: 4222,
    hasSeveralHosts: true,
    negotiatesTls: true,
    destination: 'subject',
    others: ['stream'],
    standard: (api) => `${api}.{type}`,
    findProblem: findSubjectProblem,
  },
  redis: {
    plain: 'redis',
    encrypted: 'rediss',
    port: 6379,
    hasSeveralHosts: false,
    negotiatesTls: false,
    destination: 'stream',
    others: [],
    standard: (api) => `${api}:events`,
    findProblem: () => null,
  },
  rabbitmq: {
    plain: 'amqp',
    encrypted: 'amqps',
    port: 5672,
    hasSeveralHosts: false,
    negotiatesTls: false,
    destination: 'exchange',
    others: ['routing_key', 'unroutable'],
    standard: (api) => api,
    findProblem: (name) =>
      new TextEncoder().encode(name).length > MAX_SHORT_STRING ? `has more than ${MAX_SHORT_STRING} bytes` : null,
  },
  kafka: {
    plain: 'kafka',
    encrypted: 'kafkas',
    port: 9092,
    hasSeveralHosts: true,
    negotiatesTls: false,
    destination: 'topic',
    others: ['partitions'],
    standard: (api) => `${api}.events`,
    findProblem: findTopicProblem,
  },
};

function findSubjectProblem(subject: string): string | null {
  if (/[\s*>\p{Cc}]/u.test(subject)) return 'has a space, * or >, which subjects of NATS cannot have';
  if (/(?:^|\.)(?:\.|$)/.test(subject)) return 'has an empty token: a dot at its start or end, or two in a row';
  return subject.startsWith('$') ? 'starts with $, which NATS reserves for itself' : null;
}

function findTopicProblem(topic: string): string | null {
  if (!/^[a-zA-Z0-9._-]*$/.test(topic)) return 'has characters other than a-z, A-Z, 0-9, dot, _ and -';
  if (topic.length > MAX_TOPIC) return `has more than ${MAX_TOPIC} characters`;
  return /^\.{1,2}$/.test(topic) ? 'is a name that Kafka does not take' : null;
}

/** Describes the error of the name of a stream of NATS; null if it is valid. */
export function findStreamProblem(stream: string): string | null {
  return /[\s.*>/\\{}\p{Cc}]/u.test(stream) ? 'has a space or one of . * > / \\ { }, which streams cannot have' : null;
}

/** Describes the error of the URL of a broker; null if it is valid. The result never contains a part of the URL. */
export function findUrlProblem(url: string, { plain, encrypted, hasSeveralHosts }: BrokerRules): string | null {
  const scheme = [encrypted, plain].find((each) => url.startsWith(`${each}://`));
  if (scheme === undefined) return `does not start with ${plain}:// or ${encrypted}://`;
  if (/[\s\p{Cc}]/u.test(url)) return 'has a space or a control character';
  const start = `${scheme}://`;
  const rest = url.slice(start.length);
  const hosts = hasSeveralHosts ? rest.split(',') : [rest];
  const isValid = hosts.every((host) => {
    const parsed = URL.parse(host.startsWith(start) ? host : `${start}${host}`);
    if (parsed === null || parsed.hostname === '' || parsed.host.includes(',')) return false;
    return !hasSeveralHosts || parsed.pathname === '' || parsed.pathname === '/';
  });
  return isValid ? null : 'has no valid host and port';
}

/** The template as a name, in which `x` stands for each part that depends on the event. */
export function templateName(template: DestinationTemplate): string {
  return template.map((part) => (typeof part === 'string' ? part : 'x')).join('');
}
