import type { Finding } from './finding.ts';
import { clockFolders, environmentFolders, folderOf } from './layout.ts';
import type { Mention, Source } from './source.ts';

/** What each file of src/ may know of the world: clock, chance, arguments, environment, input and output, SQL, HTTP. */
export function restrictionFindings(source: Source): readonly Finding[] {
  const room = folderOf(source.path)?.name ?? '';
  const at = ({ name, line }: Mention, rule: string, message: string): Finding => ({
    file: source.path,
    line,
    rule,
    message: `${name.trim().split('\n')[0]?.slice(0, 60)}: ${message}`,
  });
  return [
    ...(clockFolders.includes(room) ? [] : timeAndChance(source).map((each) => at(each, 'clock', handedIn))),
    ...(environmentFolders.includes(room) ? [] : surroundings(source).map((each) => at(each, 'front door', readInCli))),
    ...(folderOf(source.path)?.pure ? outside(source).map((each) => at(each, 'pure', noOutside)) : []),
    ...(room === 'stores' ? [] : statements(source).map((each) => at(each, 'sql', sqlStays))),
    ...(room === 'stores' ? httpWords(source).map((each) => at(each, 'http words', rename)) : []),
  ];
}

const handedIn = `only ${clockFolders.join('/ and ')}/ ask for the time or for chance: have a clock, ids or random bytes handed in`;
const readInCli = `only ${environmentFolders.join('/ and ')} read arguments and environment: hand the value down`;
const noOutside = 'this room is pure code without input, output or timers: have the value or the function handed in';
const sqlStays =
  'SQL is written in stores/ alone: add what is needed to the plan or to the contract in stores/store.ts';
const rename = 'a store knows no status, header or URL: name it for what it means, or move it up into pipeline/';

const clockMembers =
  /^(?:globalThis\.)?(?:Date\.now|performance\.(?:now|timeOrigin)|process\.(?:hrtime|uptime)|Temporal\.Now)$/;
const chanceMembers = /(?:^|\.)(?:Math\.random|random(?:UUID|UUIDv7|Bytes|Int|Fill|FillSync)|getRandomValues)$/;
const chanceNames = /^(?:random(?:UUID|UUIDv7|Bytes|Int|Fill|FillSync)|getRandomValues)$/;

function timeAndChance({ imports, members, instants }: Source): readonly Mention[] {
  const taken = imports.flatMap(({ name, names, line }) =>
    name === 'node:crypto' || name === 'node:perf_hooks'
      ? names.filter((each) => chanceNames.test(each) || each === 'performance').map((each) => ({ name: each, line }))
      : [],
  );
  const asked = members.filter(({ name }) => clockMembers.test(name) || chanceMembers.test(name));
  return [...taken, ...asked, ...instants];
}

function surroundings({ imports, members }: Source): readonly Mention[] {
  const taken = imports.flatMap(({ name, names, line }) =>
    name === 'node:process'
      ? names.filter((each) => /^(?:env|argv|execArgv)$/.test(each)).map((each) => ({ name: each, line }))
      : [],
  );
  const read = members.filter(({ name }) => /^(?:globalThis\.)?process\.(?:env|argv|execArgv|loadEnvFile)$/.test(name));
  return [...taken, ...read];
}

const outsideNames: ReadonlySet<string> = new Set(
  (
    'process Buffer require globalThis console crypto performance navigator localStorage ' +
    'fetch XMLHttpRequest WebSocket EventSource Worker BroadcastChannel setTimeout setInterval setImmediate'
  ).split(' '),
);

function outside({ globals }: Source): readonly Mention[] {
  return globals.filter(({ name }) => outsideNames.has(name));
}

const statement =
  /^\s*(?:select\s[\s\S]+\sfrom\s|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s|(?:create|alter|drop)\s+(?:table|index|unique)\s|pragma\s+\w+|begin\s+immediate|savepoint\s)/i;

function statements({ texts }: Source): readonly Mention[] {
  return texts.filter(({ name }) => statement.test(name));
}

const words: ReadonlySet<string> = new Set(['http', 'https', 'status', 'header', 'headers', 'href', 'etag', 'cookie']);

/** Names that speak HTTP, word by word: `statusCode`, `error_status`. `url` stays free: databases have them too. */
function httpWords({ declared, imports }: Source): readonly Mention[] {
  const spoken = declared.filter(({ name }) =>
    name
      .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[ _]/)
      .some((word) => words.has(word)),
  );
  const refusals = imports.filter(({ name }) => name.endsWith('conventions/errors.ts'));
  return [...spoken, ...refusals];
}
