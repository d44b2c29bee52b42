import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';

/** A request within the limits, made to cost the server as much as it can. */
export interface HostileRequest {
  /** The attempt, for the message of a failure. */
  readonly what: string;
  readonly method: string;
  /**
   * The target below the URL of the API. `{large}` stands for the id of a large thing, `{grown}` for one that many
   * writes have grown, `{batch}` for a large batch.
   */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | null;
}

/** Bytes of a body, of a request target and of the header fields that are sent, all below the limits of the server. */
const [BODY, TARGET, HEADERS] = [1_000_000, 8_000, 14_000];
const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=b';

/** As many numbered parts as fit, up to the given number. */
function many(max: number, size: number, part: (index: number) => string, separator = ','): string {
  const parts: string[] = [];
  for (let [index, length] = [0, 0]; index < max; index += 1) {
    const text = part(index);
    length += text.length + separator.length;
    if (length > size) break;
    parts.push(text);
  }
  return parts.join(separator);
}

/** Makes text with as many parts as fit, up to the given number. */
type Fill = (count: number) => string;

const body =
  (part: (index: number) => string, separator?: string): Fill =>
  (count) =>
    many(count, BODY - 100, part, separator);
const repeated =
  (text: string, size: number): Fill =>
  (count) =>
    text.repeat(Math.min(count, Math.floor(size / text.length)));

const members = body((index) => `"m${index}":"1"`);
const shuffled = body((index) => `"${(index * 7_919) % 1_000_003}":"1"`);
const texts = body((index) => `"t${index}"`);
const objects = body((index) => `{"sku":"s${index}","n":${index}}`);
const long = repeated('a', BODY - 200);

/** Bodies of a creation: what, media type, text. */
const BODIES: readonly (readonly [what: string, type: string, text: Fill])[] = [
  ['unknown members', JSON_TYPE, (count) => `{${members(count)}}`],
  ['map', JSON_TYPE, (count) => `{"labels":{${members(count)}}}`],
  ['map with index keys', JSON_TYPE, (count) => `{"labels":{${shuffled(count)}}}`],
  ['duplicate members', JSON_TYPE, (count) => `{${body(() => '"name":"a"')(count)}}`],
  ['nested arrays', JSON_TYPE, (count) => `{"tags":${'['.repeat(Math.min(count, 400_000))}`],
  ['nested objects', JSON_TYPE, (count) => repeated('{"tree":', BODY)(count)],
  ['unique texts', JSON_TYPE, (count) => `{"uniq":[${texts(Math.min(count, 9_999))}]}`],
  [
    'unique objects',
    JSON_TYPE,
    (count) => `{"uniqobj":[${body((at) => `{"a":{"b":"${at}"}}`)(Math.min(count, 9_999))}]}`,
  ],
  ['unique numbers', JSON_TYPE, (count) => `{"uniqnum":[${body((at) => `${at}.5`)(Math.min(count, 9_999))}]}`],
  ['objects', JSON_TYPE, (count) => `{"parts":[${objects(Math.min(count, 9_999))}]}`],
  ['errors', JSON_TYPE, (count) => `{"parts":[${body((at) => `{"z${at}":1}`)(Math.min(count, 9_999))}]}`],
  ['escapes', JSON_TYPE, (count) => `{"name":"${repeated('\\u0041', BODY - 100)(count)}"}`],
  ['digits', JSON_TYPE, (count) => `{"num":${repeated('1', BODY - 100)(count)}}`],
  ['exponent', JSON_TYPE, (count) => `{"num":1e${repeated('0', BODY - 100)(count)}}`],
  ...['name', 'code', 're2', 'email', 'uri', 'due', 'at', 'price', 'serial'].map(
    (field) => [`long ${field}`, JSON_TYPE, (count: number) => `{"${field}":"${long(count)}"}`] as const,
  ),
  ['dots of an address', JSON_TYPE, (count) => `{"email":"${repeated('a.', BODY - 100)(count)}@x"}`],
  // More of them take longer, and no more at once.
  ['lines', 'application/x-ndjson', (count) => many(Math.min(count, 5_000), BODY, () => '{}', '\n')],
  ['invalid lines', 'application/x-ndjson', (count) => many(Math.min(count, 5_000), BODY, () => 'x', '\n')],
  [
    'long lines',
    'application/x-ndjson',
    (count) => many(4, BODY, () => `{"labels":{${many(count, 200_000, (at) => `"m${at}":"1"`)}}}`, '\n'),
  ],
  ['elements', 'application/xml', (count) => `<thing>${body((at) => `<m${at}/>`, '')(count)}</thing>`],
  ['items', 'application/xml', (count) => `<thing><tags>${body(() => '<item>a</item>', '')(count)}</tags></thing>`],
  ['nested elements', 'application/xml', repeated('<a xmlns="u">', BODY)],
  ['attributes', 'application/xml', (count) => `<thing ${body((at) => `a${at}="1"`, ' ')(count)}/>`],
  ['namespaces', 'application/xml', (count) => `<thing ${body((at) => `xmlns:a${at}="u"`, ' ')(count)}/>`],
  ['references', 'application/xml', (count) => `<thing><name>${repeated('&#65;', BODY - 100)(count)}</name></thing>`],
  [
    'sections',
    'application/xml',
    (count) => `<thing><name>${repeated('<![CDATA[a]]>', BODY - 100)(count)}</name></thing>`,
  ],
  [
    'entities',
    'application/xml',
    (count) => `<!DOCTYPE a [${body((at) => `<!ENTITY e${at} "&e${at - 1};">`, '')(count)}]><thing/>`,
  ],
  ['comment', 'application/xml', (count) => `<thing><!--${repeated('-', BODY - 100)(count)}`],
  ['nested names', FORM, (count) => `name${repeated('[a]', BODY - 100)(count)}=1`],
  ['names', FORM, body((at) => `m${at}=1`, '&')],
  ['keys of a map', FORM, body((at) => `labels[k${at}]=1`, '&')],
  ['indexes', FORM, body((at) => `tags[${9_999 - at}]=a`, '&')],
  ['separators', FORM, repeated('&', BODY)],
  ['percent-encoding', FORM, (count) => `name=${repeated('%41', BODY - 100)(count)}`],
  ['brackets', FORM, (count) => `a${repeated('[]', BODY - 100)(count)}`],
  [
    'parts',
    MULTIPART,
    (count) =>
      `${body(() => '--b\r\nContent-Disposition: form-data; name="tags[]"\r\n\r\na', '\r\n')(Math.min(count, 990))}\r\n--b--`,
  ],
  ['too many parts', MULTIPART, (count) => `${repeated('--b\r\n\r\n\r\n', BODY - 100)(count)}--b--`],
  ['boundaries', MULTIPART, repeated('\r\n--', BODY)],
  ['fields of a part', MULTIPART, (count) => `--b\r\n${repeated('A: b\r\n', BODY - 100)(count)}\r\n\r\n--b--`],
  [
    'parameters of a part',
    MULTIPART,
    (count) => `--b\r\nContent-Disposition: form-data${repeated('; a=b', BODY - 200)(count)}\r\n\r\nx\r\n--b--`,
  ],
];

const operations =
  (part: (index: number) => string): Fill =>
  (count) =>
    `[${body(part)(Math.min(count, 9_999))}]`;

/** Patches of a large thing: what, media type, text. */
const PATCHES: readonly (readonly [what: string, type: string, text: Fill])[] = [
  ['removals', 'application/merge-patch+json', (count) => `{"labels":{${body((at) => `"z${at}":null`)(count)}}}`],
  ['depth', 'application/merge-patch+json', repeated('{"labels":', BODY)],
  ['insertions', 'application/json-patch+json', operations(() => '{"op":"add","path":"/tags/0","value":"a"}')],
  ['moves', 'application/json-patch+json', operations(() => '{"op":"move","from":"/tags/0","path":"/tags/-"}')],
  [
    'copies',
    'application/json-patch+json',
    operations((at) => `{"op":"copy","from":"/tree/a/k","path":"/tree/a/y${at}"}`),
  ],
  [
    'copies into copies',
    'application/json-patch+json',
    operations(() => '{"op":"copy","from":"/parts","path":"/parts/0"}'),
  ],
  [
    'copies of all',
    'application/json-patch+json',
    operations((at) => `{"op":"copy","from":"","path":"/labels/k${at}"}`),
  ],
  [
    'copies and removals',
    'application/json-patch+json',
    operations((at) =>
      at % 2 === 0 ? '{"op":"copy","from":"/parts","path":"/labels/z"}' : '{"op":"remove","path":"/labels/z"}',
    ),
  ],
  ['members', 'application/json-patch+json', operations((at) => `{"op":"add","path":"/labels/n${at}","value":"a"}`)],
  [
    'pointer',
    'application/json-patch+json',
    (count) => `[{"op":"add","path":"${repeated('/a', BODY - 100)(count)}","value":1}]`,
  ],
  [
    'long pointers',
    'application/json-patch+json',
    operations((at) => `{"op":"add","path":"/labels/${'~1'.repeat(400)}${at}","value":"1"}`),
  ],
];

/** Operations of a batch. */
const OPERATIONS: readonly (readonly [what: string, operation: Fill])[] = [
  ['creations', (size) => `{"method":"POST","path":"/things","body":{"tags":[${many(2_000, size, () => '"t"')}]}}`],
  [
    'maps',
    (size) => `{"method":"POST","path":"/things","body":{"labels":{${many(2_000, size, (at) => `"m${at}":"1"`)}}}}`,
  ],
  ['errors', (size) => `{"method":"POST","path":"/things","body":{"tags":[${many(2_000, size, () => '1')}]}}`],
  ['patches of one', () => '{"method":"PATCH","path":"/things/{large}","body":{"name":"x"}}'],
  [
    'quiet patches of one',
    (size) =>
      `{"method":"PATCH","path":"/things/{large}","headers":{"Prefer":"return=minimal"},"body":{"name":"y${size}"}}`,
  ],
  ['changes of a grown one', () => '{"method":"PATCH","path":"/things/{grown}","body":{"name":"x"}}'],
  ['duplicates', () => '{"method":"POST","path":"/things","body":{"sku":"same"}}'],
  ['long paths', (size) => `{"method":"DELETE","path":"/things/${'a'.repeat(Math.min(size, 7_900))}"}`],
];

/** Parameters of a list, and of a QUERY, whose form is larger. */
const QUERIES: readonly (readonly [what: string, text: (size: number) => string])[] = [
  ['in', (size) => `name[in]=${many(size, size - 20, () => 'a')}`],
  ['not in', (size) => `n[nin]=${many(size, size - 20, String)}`],
  ['repeated', (size) => many(size, size - 20, (at) => `name=${at}`, '&')],
  ['ranges', (size) => many(size, size - 20, (at) => `n[gt]=${at}`, '&')],
  ['substrings', (size) => many(size, size - 20, (at) => `name[contains]=a${at}`, '&')],
  ['substring', (size) => `name[contains]=${'a'.repeat(size - 30)}b`],
  ['words', (size) => `q=${many(size, size - 20, (at) => `w${at}`, '+')}`],
  ['quotes', (size) => `q=${'%22'.repeat((size - 20) / 3)}`],
  ['sort', (size) => `sort=${many(size, size - 20, () => '-name')}`],
  ['fields', (size) => `fields=${many(size, size - 20, (at) => `labels.k${at}`)}`],
  ['expand', (size) => `expand=${many(size, size - 20, () => 'parent')}`],
  ['nested expand', (size) => `expand=${many(size, size - 20, () => 'parent', '.')}`],
  ['unknown', (size) => many(size, size - 20, (at) => `z${at}=1`, '&')],
  ['members of a map', (size) => many(size, size - 20, (at) => `labels.a${at}=1`, '&')],
  ['path of a filter', (size) => `a${'.a'.repeat((size - 20) / 2)}=1`],
  ['brackets', (size) => `a${'[a]'.repeat((size - 20) / 3)}=1`],
  ['percent-encoding', (size) => `${'%41'.repeat((size - 20) / 3)}=1`],
  ['cursor', (size) => `after=${'A'.repeat(size - 20)}`],
  ['separators', (size) => '&'.repeat(size - 20)],
];

const listOf = (part: string, separator = ','): string => many(HEADERS, HEADERS, () => part, separator);

/** Header fields of a read. */
const FIELDS: readonly (readonly [name: string, value: string])[] = [
  ['Accept', listOf('a/b;q=0')],
  ['Accept', `application/json${';a=b'.repeat(3_400)}`],
  ['Accept', `a/b;c="${'\\"'.repeat(6_900)}"`],
  ['Accept', ','.repeat(HEADERS)],
  ['Accept-Encoding', listOf('gzip;q=0.1')],
  ['Accept-Language', listOf('en')],
  ['If-None-Match', listOf('"a"')],
  ['If-None-Match', listOf('W/"a"')],
  ['If-None-Match', '"'.repeat(HEADERS)],
  ['If-Modified-Since', `Sun${' '.repeat(HEADERS)}`],
  ['Prefer', listOf('a=b')],
  ['Prefer', `a="${'\\'.repeat(HEADERS)}"`],
  ['Range', `bytes=${listOf('0-1')}`],
  ['Cookie', listOf('a=b', ';')],
  ['Cache-Control', listOf('max-age')],
  ['Forwarded', listOf('for=a')],
  ['tracestate', listOf('a=b')],
];

const CODINGS: Readonly<Record<string, (text: string) => Buffer>> = {
  gzip: (text) => gzipSync(text),
  deflate: (text) => deflateSync(text),
  br: (text) => brotliCompressSync(text),
};

function withBody(method: string, target: string, type: string, text: string): Omit<HostileRequest, 'what'> {
  return { method, target, headers: { 'Content-Type': type }, body: text };
}

/** Mostly as many parts as fit. */
const counts = fc.oneof(
  { weight: 3, arbitrary: fc.constant(1_000_000) },
  { weight: 1, arbitrary: fc.integer({ min: 100, max: 100_000 }) },
);
const coding = fc.option(fc.constantFrom(...Object.keys(CODINGS)), { freq: 2 });

const bodies = fc
  .tuple(fc.constantFrom(...BODIES), counts, coding)
  .map(([[what, type, text], count, name]): HostileRequest => {
    const plain = withBody('POST', '/v1/things', type, text(count));
    const encode = name === null ? undefined : CODINGS[name];
    if (name === null || encode === undefined) return { ...plain, what: `${type}: ${what} × ${count}` };
    const headers = { ...plain.headers, 'Content-Encoding': name };
    return { ...plain, what: `${name} of ${type}: ${what} × ${count}`, headers, body: encode(text(count)) };
  });

/** Patches of the labels of a grown thing, whose keys are `k0`, `k1`, ... in base 36. */
const GROWN_PATCHES: readonly (readonly [what: string, type: string, text: Fill])[] = [
  ['a field', 'application/merge-patch+json', (count) => `{"n":${count}}`],
  ['a label', 'application/merge-patch+json', (count) => `{"labels":{"x${count}":""}}`],
  [
    'labels',
    'application/merge-patch+json',
    (count) => `{"labels":{${body((at) => `"k${at.toString(36)}":"x"`)(count)}}}`,
  ],
  [
    'more labels',
    'application/merge-patch+json',
    (count) => `{"labels":{${body((at) => `"x${at.toString(36)}":""`)(count)}}}`,
  ],
  [
    'removals',
    'application/merge-patch+json',
    (count) => `{"labels":{${body((at) => `"x${at.toString(36)}":null`)(count)}}}`,
  ],
  ['an operation', 'application/json-patch+json', (count) => `[{"op":"add","path":"/n","value":${count}}]`],
  ['a copy', 'application/json-patch+json', () => '[{"op":"copy","from":"/labels","path":"/tree"}]'],
  [
    'a value',
    'application/json-patch+json',
    (count) =>
      `[{"op":"add","path":"/labels","value":{${body((at) => `"x${at.toString(36)}":""`)(Math.max(0, count - 10))}}},{"op":"test","path":"/n","value":"none"}]`,
  ],
];

function createPatch(thing: string, [what, type, text]: (typeof PATCHES)[number], count: number): HostileRequest {
  const patch = withBody('PATCH', `/v1/things/{${thing}}`, type, text(count));
  return { what: `${type} of ${thing}: ${what} × ${count}`, ...patch };
}

const patches = fc.oneof(
  fc.tuple(fc.constantFrom(...PATCHES), counts).map(([patch, count]) => createPatch('large', patch, count)),
  fc.tuple(fc.constantFrom(...GROWN_PATCHES), counts).map(([patch, count]) => createPatch('grown', patch, count)),
);

function createBatch(what: string, operation: Fill, atomic: boolean, size: number): HostileRequest {
  const text = `{"atomic":${atomic},"operations":[${many(100, BODY - 100, () => operation(size))}]}`;
  return { what: `batch of ${what}: atomic ${atomic}, ${size}`, ...withBody('POST', '/v1/batches', JSON_TYPE, text) };
}

const batches = fc
  .tuple(fc.constantFrom(...OPERATIONS), fc.boolean(), fc.constantFrom(100, 9_000))
  .map(([[what, operation], atomic, size]) => createBatch(what, operation, atomic, size));

/** Batches that once kept the event loop for seconds. */
const KNOWN_BATCHES: readonly HostileRequest[] = OPERATIONS.filter(([what]) => what.startsWith('patches')).flatMap(
  ([what, operation]) => [true, false].map((atomic) => createBatch(what, operation, atomic, 0)),
);

const lists = fc.tuple(fc.constantFrom(...QUERIES), fc.boolean()).map(([[what, text], asBody]): HostileRequest => {
  if (asBody) return { what: `QUERY: ${what}`, ...withBody('QUERY', '/v1/things?limit=100', FORM, text(BODY)) };
  return {
    what: `list: ${what}`,
    method: 'GET',
    target: `/v1/things?limit=100&${text(TARGET)}`,
    headers: {},
    body: null,
  };
});

const TYPES = [JSON_TYPE, 'application/xml', 'text/csv', 'text/plain', 'application/x-ndjson'];

function pageAs(type: string, query: string, more: Readonly<Record<string, string>> = {}): HostileRequest {
  const headers = { Accept: type, ...more };
  const what = `page as ${type} ${more['Accept-Encoding'] ?? ''}: ${query}`;
  return { what, method: 'GET', target: `/v1/things?${query}`, headers, body: null };
}

/** Pages of as many large things as fit. */
const pages = fc
  .tuple(
    fc.constantFrom(...TYPES),
    fc.constantFrom('', '&sort=-name', '&page=1', '&fields=labels,tree', '&name=large', '&include_total=true'),
    fc.constantFrom('identity', 'gzip', 'br', 'zstd'),
    fc.constantFrom('GET', 'HEAD'),
  )
  .map(([type, more, encoding, method]) => ({
    ...pageAs(type, `limit=100${more}`, { 'Accept-Encoding': encoding }),
    method,
  }));

/** Reads of a large thing and its large children in each other's place. */
const EXPANSIONS = [
  '/v1/things/{large}?expand=children',
  '/v1/things/{large}?expand=children.parent&fields=name',
  '/v1/things?name=large&expand=children',
  '/v1/things?parent_id={large}&limit=100&expand=parent',
  '/v1/things?limit=100&expand=parent,children',
  '/v1/things?limit=100&sort=-id&expand=children',
];

function expansionAs(type: string, target: string, encoding: string): HostileRequest {
  const headers = { Accept: type, 'Accept-Encoding': encoding };
  return { what: `${target} as ${type} ${encoding}`, method: 'GET', target, headers, body: null };
}

const expansions = fc
  .tuple(
    fc.constantFrom(...TYPES),
    fc.constantFrom(...EXPANSIONS),
    fc.constantFrom('identity', 'gzip', 'br', 'zstd'),
    fc.constantFrom('GET', 'HEAD'),
  )
  .map(([type, target, encoding, method]) => ({ ...expansionAs(type, target, encoding), method }));

const reads = fc
  .tuple(
    fc.constantFrom(...FIELDS),
    fc.constantFrom('/v1/things/{large}', '/v1/things/{grown}', '/v1/things?limit=3', '/v1/batches/{batch}'),
  )
  .map(
    ([[name, value], target]): HostileRequest => ({
      what: `${name}: ${value.slice(0, 20)} of ${target}`,
      method: 'GET',
      target,
      headers: { [name]: value.slice(0, HEADERS) },
      body: null,
    }),
  );

/** Every line of its text would have the key. */
const LONG_KEY: HostileRequest = {
  ...withBody('POST', '/v1/things', JSON_TYPE, `{"tree":{"a":{"${'k'.repeat(50_000)}":[${texts(9_999)}]}}}`),
  what: 'text with a long key',
  headers: { 'Content-Type': JSON_TYPE, Accept: 'text/plain' },
};

export const KNOWN_REQUESTS: readonly HostileRequest[] = [
  LONG_KEY,
  ...KNOWN_BATCHES,
  ...TYPES.map((type) => pageAs(type, 'limit=100')),
  ...[JSON_TYPE, 'application/xml', 'text/plain'].map((type) =>
    expansionAs(type, '/v1/things/{large}?expand=children', 'identity'),
  ),
  { what: 'a large batch', method: 'GET', target: '/v1/batches/{batch}', headers: {}, body: null },
  ...GROWN_PATCHES.slice(1, 4).map((patch) => createPatch('grown', patch, 1_000_000)),
];

/** Hostile requests of all kinds. */
export const hostileRequests: fc.Arbitrary<HostileRequest> = fc.oneof(
  { weight: 5, arbitrary: bodies },
  { weight: 2, arbitrary: patches },
  { weight: 2, arbitrary: batches },
  { weight: 3, arbitrary: lists },
  { weight: 2, arbitrary: pages },
  { weight: 2, arbitrary: expansions },
  { weight: 2, arbitrary: reads },
);
