import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RelaySettings } from '../../../../src/model/relay-settings.ts';
import { listProblems, load, rejectsEach } from '../../loading.ts';

const RESOURCES = `resources:
  products:
    events: full
    schema:
      type: object
      properties:
        tenant_id: { type: string }
        status: { type: string, enum: [DRAFT, ACTIVE], default: DRAFT }
        price: { type: string, format: decimal, x-scale: 2 }
        tags: { type: array, items: { type: string } }
        cost: { type: number, writeOnly: true }
  notes: { events: thin, schema: { type: object, properties: { tenant_id: { type: string }, text: { type: string } } } }
  drafts: { events: none, schema: { type: object, properties: { text: { type: string } } } }
`;
/** The line of the relays in {@link relaysDocument}. */
const LINE = 5;
const SECRET = 'pa55word';

/** A document with these relays on one line, and these other members of `events` on the next one. */
function relaysDocument(relays: string, others = ''): string {
  const older = '{ changes: [{ resource: products, rename: { owner: tenant_id } }] }';
  const versions = `versions: { 1.4.0: ${older}, 1.3.0: { retired: true, changes: [] }, 1.2.0: { changes: [] } }`;
  return `name: shop\nversion: 1.5.0\n${versions}\nevents:\n  relays: [${relays}]\n  ${others}\n${RESOURCES}`;
}

function compileOne(relay: string): RelaySettings {
  const { events } = load(relaysDocument(relay)).model;
  assert.equal(events.relays.length, 1);
  const [compiled] = events.relays;
  assert.ok(compiled !== undefined);
  return compiled;
}

const NO_TLS = { caFile: null, certFile: null, keyFile: null };
const TYPE = { kind: 'type' };

describe('a relay', () => {
  it('[EVT-9e] has defaults for every member but the broker', () => {
    const common = { types: ['*'], filter: null, version: null, format: 'native' };
    const target = {
      credentialsFile: null,
      tls: NO_TLS,
      routingKey: null,
      stream: null,
      create: false,
      partitions: 1,
      dropsUnroutable: false,
    };
    const { events } = load(
      relaysDocument(`{ nats: "nats://n" }, { redis: "redis://r" }, { rabbitmq: "amqp://m" }, { kafka: "kafka://k" }`),
    ).model;
    assert.deepEqual(events.relays, [
      { ...common, name: 'nats', target: { ...target, kind: 'nats', url: 'nats://n', destination: ['shop.', TYPE] } },
      {
        ...common,
        name: 'redis',
        target: { ...target, kind: 'redis', url: 'redis://r', destination: ['shop:events'] },
      },
      {
        ...common,
        name: 'rabbitmq',
        target: { ...target, kind: 'rabbitmq', url: 'amqp://m', destination: ['shop'], routingKey: [TYPE] },
      },
      {
        ...common,
        name: 'kafka',
        target: { ...target, kind: 'kafka', url: 'kafka://k', destination: ['shop.events'] },
      },
    ]);
  });

  it('[EVT-9e] has the declared members of each broker', () => {
    const nats = compileOne(
      '{ name: main, nats: "tls://a:4222,tls://b:4222", subject: "eu.{collection}.{type}", stream: SHOP, create: true, ' +
        'credentials_file: nats.creds, tls: { ca_file: ca.pem, cert_file: c.pem, key_file: k.pem }, format: cloudevents }',
    );
    assert.equal(nats.name, 'main');
    assert.equal(nats.format, 'cloudevents');
    assert.deepEqual(nats.target.destination, ['eu.', { kind: 'collection' }, '.', TYPE]);
    assert.deepEqual(nats.target.tls, { caFile: 'ca.pem', certFile: 'c.pem', keyFile: 'k.pem' });
    const { stream, create, credentialsFile } = nats.target;
    assert.deepEqual([stream, create, credentialsFile], ['SHOP', true, 'nats.creds']);
    const redis = compileOne('{ redis: "redis://u:p@r:1/0", types: [product.*], stream: "shop:{data.tenant_id}" }');
    assert.deepEqual(redis.target.destination, ['shop:', { kind: 'field', field: 'tenant_id' }]);
    assert.deepEqual([redis.target.url, redis.target.stream, redis.types], ['redis://u:p@r:1/0', null, ['product.*']]);
    const rabbit = compileOne('{ rabbitmq: "amqp://m/vhost", exchange: e, routing_key: "{type}.x", unroutable: drop }');
    assert.deepEqual(rabbit.target.routingKey, [TYPE, '.x']);
    assert.equal(rabbit.target.dropsUnroutable, true);
    const kafka = compileOne('{ kafka: "kafkas://u:p@a:9092,b:9092", topic: "shop.{collection}", partitions: 3 }');
    assert.deepEqual([kafka.target.partitions, kafka.target.destination], [3, ['shop.', { kind: 'collection' }]]);
  });

  it('[EVT-9e] has a filter, which is the JSON of a policy', () => {
    const { filter } = compileOne('{ redis: "redis://r", types: [product.created], filter: { status: ACTIVE } }');
    assert.equal(filter, '{"status":"ACTIVE"}');
    assert.equal(compileOne('{ redis: "redis://r", types: [product.created], filter: true }').filter, 'true');
  });

  it('[EVT-9e] has the URL of an environment variable', () => {
    const text = relaysDocument('{ nats: "${NATS_URL}" }');
    const { events } = load(text, { env: { NATS_URL: `nats://u:${SECRET}@n` } }).model;
    assert.equal(events.relays[0]?.target.url, `nats://u:${SECRET}@n`);
  });

  it('[EVT-9e] names types, filters and fields as its version has them', () => {
    const members = 'types: [product.*], filter: { owner: ann }, stream: "s:{data.owner}"';
    const { version } = compileOne(`{ redis: "redis://r", version: 1.4.0, ${members} }`);
    assert.equal(version, '1.4.0');
    const problems = listProblems(relaysDocument(`{ redis: "redis://r", ${members} }`));
    assert.deepEqual(problems.map(({ path }) => path).toSorted(), [
      'events.relays[0].filter.owner',
      'events.relays[0].stream',
    ]);
  });

  it('[EVT-9e] may select all types although a resource has no events, and fields that some resources have', () => {
    compileOne('{ redis: "redis://r", types: [product.*], stream: "s:{data.price}:{data.id}" }');
    compileOne('{ redis: "redis://r", types: ["*"], stream: "s:{data.price}" }');
  });
});

describe('events.hold', () => {
  it('[EVT-9e] is as long as retention by default, and may be longer', () => {
    const hold = (others: string): number => load(relaysDocument('', others)).model.events.hold;
    assert.equal(hold(''), 30 * 86_400_000);
    assert.equal(hold('retention: 2h'), 7_200_000);
    assert.equal(hold('hold: 60d'), 60 * 86_400_000);
  });
});

/** Rows: the title, the relays, the path below `events.relays`, the cause and the fix. */
const INVALID: readonly (readonly [title: string, relays: string, path: string, cause: RegExp, fix: RegExp])[] = [
  ['without a broker', '{ name: shop }', '[0]', /names no broker/, /nats, redis, rabbitmq, kafka/],
  ['with two brokers', '{ nats: "nats://a", redis: "redis://a" }', '[0].redis', /nats and redis/, /a relay for each/],
  ['with an unknown member', '{ nats: "nats://a", subjct: a }', '[0].subjct', /unknown key/, /write subject/],
  ['with a name in upper case', '{ nats: "nats://a", name: Main }', '[0].name', /pattern/, /lower-case/],
  [
    'with the default name of another one',
    '{ nats: "nats://a" }, { nats: "nats://b" }',
    '[1].nats',
    /two relays have the name nats/,
    /set name to another one, such as nats-2/,
  ],
  [
    'with the name of another one',
    '{ nats: "nats://a", name: main }, { redis: "redis://b", name: main }',
    '[1].name',
    /two relays have the name main/,
    /main-2/,
  ],
  [
    'with topic and NATS',
    '{ nats: "nats://a", topic: t }',
    '[0].topic',
    /member of kafka, not of nats/,
    /write subject/,
  ],
  ['with stream and Kafka', '{ kafka: "kafka://a", stream: t }', '[0].stream', /nats and redis, not of kafka/, /topic/],
  [
    'with unroutable and Redis',
    '{ redis: "redis://a", unroutable: drop }',
    '[0].unroutable',
    /member of rabbitmq, not of redis/,
    /remove it/,
  ],
  ['with 0 partitions', '{ kafka: "kafka://a", partitions: 0 }', '[0].partitions', /at least 1/, /Partitions/i],
  ['with 10,001 partitions', '{ kafka: "kafka://a", partitions: 10001 }', '[0].partitions', /at most 10/, /Partition/i],
  ['with another format', '{ kafka: "kafka://a", format: avro }', '[0].format', /native/, /CloudEvent/],
  [
    'with a version that does not exist',
    '{ nats: "nats://a", version: 1.1.0 }',
    '[0].version',
    /version 1\.1\.0 is not served/,
    /^use one of 1\.5\.0, 1\.4\.0, 1\.2\.0$/,
  ],
  ['with a retired version', '{ nats: "nats://a", version: 1.3.0 }', '[0].version', /1\.3\.0 is not served/, /1\.4\.0/],
  [
    'with an unknown type',
    '{ nats: "nats://a", types: [note.created, produkt.created] }',
    '[0].types[1]',
    /produkt\.created matches no type of event/,
    /write product\.created/,
  ],
  ['with an unknown family', '{ nats: "nats://a", types: [prodct.*] }', '[0].types[0]', /no type/, /write product\.\*/],
  ['with a plural', '{ nats: "nats://a", types: [PRODUCT.*] }', '[0].types[0]', /pattern/, /./],
  [
    'with a type of a resource without events',
    '{ nats: "nats://a", types: [draft.created] }',
    '[0].types[0]',
    /drafts has events: none/,
    /events: thin or full for drafts/,
  ],
  [
    'with a filter on an unknown field',
    '{ nats: "nats://a", types: [product.*], filter: { statuss: ACTIVE } }',
    '[0].filter.statuss',
    /products has no readable field statuss/,
    /write status/,
  ],
  [
    'with a filter on a writeOnly field',
    '{ nats: "nats://a", types: [product.*], filter: { cost: 1 } }',
    '[0].filter.cost',
    /cost/,
    /./,
  ],
  [
    'with a filter on events without data',
    '{ nats: "nats://a", filter: { status: ACTIVE } }',
    '[0].filter',
    /needs events with data, which those of note have not/,
    /events: full for notes/,
  ],
  [
    'with a filter on the caller',
    '{ nats: "nats://a", types: [product.*], filter: { tenant_id: { in: [a, $caller.subject] } } }',
    '[0].filter',
    /a relay has no caller/,
    /a constant/,
  ],
  [
    'with a template that names no member',
    '{ nats: "nats://a", types: [product.*], subject: "a.{tenant}" }',
    '[0].subject',
    /^\{tenant\} names no member$/,
    /^use \{type\}, \{collection\} or \{data\.tenant_id\}$/,
  ],
  [
    'with a misspelt part',
    '{ rabbitmq: "amqp://a", routing_key: "{typ}" }',
    '[0].routing_key',
    /\{typ\} names no member/,
    /write \{type\}/,
  ],
  [
    'with an unknown field in a template',
    '{ redis: "redis://a", types: [product.*], stream: "{data.tenant}" }',
    '[0].stream',
    /\{data\.tenant\} names no field/,
    /\{data\.tenant_id\}/,
  ],
  [
    'with a writeOnly field in a template',
    '{ redis: "redis://a", types: [product.*], stream: "s{data.cost}" }',
    '[0].stream',
    /\{data\.cost\} is writeOnly in products/,
    /another field/,
  ],
  [
    'with a list in a template',
    '{ redis: "redis://a", types: [product.*], stream: "s{data.tags}" }',
    '[0].stream',
    /\{data\.tags\} is not a single value in products/,
    /another field/,
  ],
  [
    'with a field in a template that a resource has without data',
    '{ redis: "redis://a", stream: "s{data.tenant_id}" }',
    '[0].stream',
    /needs events with data, which those of notes do not have/,
    /events: full for notes/,
  ],
  ['with an open brace', '{ redis: "redis://a", stream: "s{type" }', '[0].stream', /brace/, /\{data\.FIELD\}/],
  ['with a space in a subject', '{ nats: "nats://a", subject: "a b" }', '[0].subject', /space/, /another name/],
  ['with a wildcard in a subject', '{ nats: "nats://a", subject: "a.>" }', '[0].subject', /\* or >/, /another name/],
  ['with an empty token', '{ nats: "nats://a", subject: "a..{type}" }', '[0].subject', /empty token/, /another name/],
  ['with a dot in a stream', '{ nats: "nats://a", stream: "a.b" }', '[0].stream', /streams cannot have/, /SHOP/],
  ['with a slash in a topic', '{ kafka: "kafka://a", topic: "a/b" }', '[0].topic', /characters other than/, /another/],
  [`with a long topic`, `{ kafka: "kafka://a", topic: ${'t'.repeat(250)} }`, '[0].topic', /more than 249/, /another/],
  [
    'with a long routing key',
    `{ rabbitmq: "amqp://a", routing_key: "${'ä'.repeat(128)}" }`,
    '[0].routing_key',
    /more than 255 bytes/,
    /another/,
  ],
  ['with TLS and redis://', '{ redis: "redis://a", tls: { ca_file: a } }', '[0].tls', /without TLS/, /rediss:\/\//],
  [
    'with a certificate without its key',
    '{ redis: "rediss://a", tls: { cert_file: a } }',
    '[0].tls.cert_file',
    /needs key_file/,
    /both/,
  ],
];

describe('an invalid relay is a model error with its line', () => {
  rejectsEach(
    INVALID.map(([title, relays, path, cause, fix]) => ({
      title: `[EVT-9e] ${title}`,
      text: relaysDocument(relays),
      path: `events.relays${path}`,
      line: LINE,
      cause,
      fix,
    })),
  );

  rejectsEach([
    {
      title: '[EVT-9e] a hold that is shorter than retention',
      text: relaysDocument('', 'hold: 29d'),
      path: 'events.hold',
      line: LINE + 1,
      cause: /hold is shorter than retention/,
      fix: /30d or more/,
    },
    {
      title: '[EVT-9e] a hold out of range',
      text: relaysDocument('', 'hold: 1s'),
      path: 'events.hold',
      line: LINE + 1,
      cause: /too short or too long/,
      fix: /from 1m/,
    },
  ]);
});

describe('no message repeats a URL, which may contain a password', () => {
  const urls: readonly (readonly [broker: string, url: string, cause: RegExp])[] = [
    ['nats', `http://u:${SECRET}@a`, /does not start with nats:\/\/ or tls:\/\//],
    ['nats', `nats://u:${SECRET}/@a`, /no valid host/],
    ['nats', `nats://u:${SECRET}@a,tls://b`, /no valid host/],
    ['nats', `nats://u:${SECRET}@a/path`, /no valid host/],
    ['redis', `nats://u:${SECRET}@a`, /redis:\/\/ or rediss:\/\//],
    ['redis', `redis://u:${SECRET}@a,b`, /no valid host/],
    ['redis', SECRET, /does not start with/],
    ['rabbitmq', `rabbitmq://u:${SECRET}@a`, /amqp:\/\/ or amqps:\/\//],
    ['rabbitmq', `amqp://u:${SECRET}@`, /no valid host/],
    ['kafka', `kafka://u:${SECRET}@a:99999`, /no valid host/],
    ['kafka', `kafka://u:${SECRET} @a`, /has a space/],
    ['kafka', `u:${SECRET}@a:9092`, /kafka:\/\/ or kafkas:\/\//],
  ];
  for (const [broker, url, cause] of urls) {
    it(`[EVT-9e] of ${broker}: ${url.replace(SECRET, '…')}`, () => {
      for (const text of [relaysDocument(`{ ${broker}: "${url}" }`), relaysDocument(`{ ${broker}: "\${URL}" }`)]) {
        const problems = listProblems(text, { env: { URL: url } });
        assert.deepEqual(
          problems.map((problem) => `${problem.line} ${problem.path}`),
          [`${LINE} events.relays[0].${broker}`],
        );
        assert.match(problems[0]?.cause ?? '', cause);
        assert.doesNotMatch(JSON.stringify(problems), new RegExp(SECRET));
      }
    });
  }

  it('[EVT-9e] with any other error of a relay', () => {
    for (const [title, relays] of INVALID) {
      const text = relaysDocument(relays.replaceAll('://', `://user:${SECRET}@`));
      const problems = listProblems(text);
      assert.ok(problems.length > 0, title);
      assert.doesNotMatch(JSON.stringify(problems), new RegExp(SECRET), title);
    }
    const wrongTypes = listProblems(relaysDocument(`{ nats: [ "nats://u:${SECRET}@a" ] }, "nats://u:${SECRET}@a"`));
    assert.equal(wrongTypes.length, 2);
    assert.doesNotMatch(JSON.stringify(wrongTypes), new RegExp(SECRET));
  });
});
