import type { Finding } from './finding.ts';
import { clockFolders, environmentFolders, findFolder, rowAccess, rowFolders } from './layout.ts';
import type { Mention, Source } from './source.ts';

/**
 * Reports files of src/ that use what other files alone may use. This is the clock, random numbers, arguments,
 * environment variables, I/O, SQL, HTTP and the rows of the store.
 */
export function restrictionFindings(source: Source): readonly Finding[] {
  const folder = findFolder(source.path)?.name ?? '';
  const at = ({ name, line }: Mention, rule: string, message: string): Finding => ({
    file: source.path,
    line,
    rule,
    message: `${name.trim().split('\n')[0]?.slice(0, 60)}: ${message}`,
  });
  return [
    ...(clockFolders.includes(folder) ? [] : clockAndRandom(source).map((each) => at(each, 'clock', injected))),
    ...(environmentFolders.includes(folder)
      ? []
      : environmentReads(source).map((each) => at(each, 'environment', readInCli))),
    ...(findFolder(source.path)?.pure ? ioUses(source).map((each) => at(each, 'pure', noIo)) : []),
    ...(folder === 'stores' ? [] : statements(source).map((each) => at(each, 'sql', sqlStays))),
    ...(folder === 'stores' ? httpNames(source).map((each) => at(each, 'http', rename)) : []),
    ...(rowFolders.includes(folder) ? rowAccesses(source).map((each) => at(each, 'rows', readVisible)) : []),
  ];
}

const injected = `only ${clockFolders.join('/ and ')}/ read the clock or random numbers: inject a clock, ids or random bytes`;
const readInCli = `only ${environmentFolders.join('/ and ')} read arguments and environment variables: pass the value down`;
const noIo = 'this folder is pure code without I/O or timers: inject the value or the function';
const sqlStays = 'only stores/ contains SQL: extend the plan or the contract in stores/store.ts';
const rename = 'a store must not know HTTP: name it for its meaning, or move it into pipeline/';

const readVisible =
  'reads rows past the visibility of the caller: use caller.rows, or add the file to rowAccess in test/architecture/layout.ts';

const clockMembers =
  /^(?:globalThis\.)?(?:Date\.now|performance\.(?:now|timeOrigin)|process\.(?:hrtime|uptime)|Temporal\.Now)$/;
const randomMembers = /(?:^|\.)(?:Math\.random|random(?:UUID|UUIDv7|Bytes|Int|Fill|FillSync)|getRandomValues)$/;
const randomNames = /^(?:random(?:UUID|UUIDv7|Bytes|Int|Fill|FillSync)|getRandomValues)$/;

function clockAndRandom({ imports, members, instants }: Source): readonly Mention[] {
  const imported = imports.flatMap(({ name, names, line }) =>
    name === 'node:crypto' || name === 'node:perf_hooks'
      ? names.filter((each) => randomNames.test(each) || each === 'performance').map((each) => ({ name: each, line }))
      : [],
  );
  const read = members.filter(({ name }) => clockMembers.test(name) || randomMembers.test(name));
  return [...imported, ...read, ...instants];
}

function environmentReads({ imports, members }: Source): readonly Mention[] {
  const imported = imports.flatMap(({ name, names, line }) =>
    name === 'node:process'
      ? names.filter((each) => /^(?:env|argv|execArgv)$/.test(each)).map((each) => ({ name: each, line }))
      : [],
  );
  const read = members.filter(({ name }) => /^(?:globalThis\.)?process\.(?:env|argv|execArgv|loadEnvFile)$/.test(name));
  return [...imported, ...read];
}

const ioGlobals: ReadonlySet<string> = new Set(
  (
    'process Buffer require globalThis console crypto performance navigator localStorage ' +
    'fetch XMLHttpRequest WebSocket EventSource Worker BroadcastChannel setTimeout setInterval setImmediate'
  ).split(' '),
);

function ioUses({ globals }: Source): readonly Mention[] {
  return globals.filter(({ name }) => ioGlobals.has(name));
}

const statement =
  /^\s*(?:select\s[\s\S]+\sfrom\s|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s|(?:create|alter|drop)\s+(?:table|index|unique)\s|pragma\s+\w+|begin\s+immediate|savepoint\s)/i;

function statements({ texts }: Source): readonly Mention[] {
  return texts.filter(({ name }) => statement.test(name));
}

const httpTerms: ReadonlySet<string> = new Set([
  'http',
  'https',
  'status',
  'header',
  'headers',
  'href',
  'etag',
  'cookie',
]);

/**
 * Declared names with a word of HTTP: `statusCode`, `error_status`. `url` is allowed, since databases have URLs too.
 */
function httpNames({ declared, imports }: Source): readonly Mention[] {
  const names = declared.filter(({ name }) =>
    name
      .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[ _]/)
      .some((word) => httpTerms.has(word)),
  );
  const refusals = imports.filter(({ name }) => name.endsWith('conventions/errors.ts'));
  return [...names, ...refusals];
}

const rowFiles = /(?:^|\/)(?:stores\/store|visible-rows)\.ts$/;

/** A namespace, a re-export or an import type of these files could be any of their names. */
function rowAccesses({ path, imports, members }: Source): readonly Mention[] {
  const imported = imports
    .filter(({ name }) => rowFiles.test(name))
    .flatMap(({ name, names, line }) =>
      names.length === 0 ? [{ name, line }] : names.map((each) => ({ name: each, line })),
    );
  const used = members.map(({ name, line }) => ({ name: name.split(/[.#]+/).slice(-2).join('.'), line }));
  return [...imported, ...used].filter(({ name }) => rowFiles.test(name) || rowAccess[name]?.includes(path) === false);
}
