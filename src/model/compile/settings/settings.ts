import type { CompileContext } from '../../document/compile-context.ts';
import { compileLimits } from '../../document/limits.ts';
import type { ContractVersion, Model } from '../../model.ts';
import { readNumber, readObject, readString, readStrings } from '../../values/access.ts';
import { compileAuth } from './auth.ts';
import { compileConsole } from './console.ts';
import { compileCorsRule } from './cors.ts';
import { ORIGIN_PATHS } from '../fields/names.ts';
import { relaysName } from './relay-resource.ts';
import { compileEventSettings } from './retention.ts';
import { compileWebhooks } from './webhooks.ts';
import { type AddressRange, parseAddressRange } from '../../../conventions/url/ip-address.ts';

/** The settings of an API: everything in a model except its resources. */
type ApiSettings = Omit<Model, 'resources' | 'collections' | 'versions' | 'fingerprint'>;

const DEFAULT_CONTRACT_VERSION = '1.0.0';
const DEFAULT_BASE_PATH = '/api';
const VERSION = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/;

/** Compiles the settings of the API and reports invalid ones. */
export function compileSettings(document: CompileContext): ApiSettings {
  const { declared, path, report } = document;
  const name = readString(declared['name']) ?? '';
  const auth = compileAuth(document);
  const version = readVersion(readString(declared['version']) ?? DEFAULT_CONTRACT_VERSION);
  return {
    name,
    title: readString(declared['title']) ?? name,
    version,
    basePath: compileBasePath(document),
    publicUrl: compilePublicUrl(document),
    defaultVersion: compileDefaultVersion(version, document),
    cors: compileCorsRule(document),
    auth,
    trustedProxies: compileTrustedProxies(document),
    requireTls: declared['require_tls'] === true,
    descriptions: compileDescriptions(document),
    console: compileConsole(document, auth),
    secret: readString(declared['secret']),
    limits: compileLimits(
      { declared: readObject(declared['limits']), path: [...path, 'limits'], report },
      declared['auth'] !== undefined,
    ),
    events: compileEventSettings(document),
    webhooks: compileWebhooks(document),
    relays: relaysName(declared),
    system: {
      batches: readString(readObject(declared['system'])['batches']) ?? 'batches',
      events: readString(readObject(declared['system'])['events']) ?? 'events',
    },
  };
}

/** Parses MAJOR.MINOR.PATCH. The document schema reports other strings, which count as the default. */
export function readVersion(text: string): ContractVersion {
  const [, major = 1, minor = 0, patch = 0] = VERSION.exec(text) ?? [];
  return { major: Number(major), minor: Number(minor), patch: Number(patch) };
}

function compileBasePath({ declared, path, report }: CompileContext): string {
  const basePath = readString(declared['base_path']) ?? DEFAULT_BASE_PATH;
  const [, first = ''] = basePath.split('/');
  if (ORIGIN_PATHS.has(first)) {
    report([...path, 'base_path'], `/${first} is a path of the server`, 'choose another base path, such as /api');
  }
  return basePath === '/' ? '' : basePath;
}

function compileDescriptions({ declared, path, report }: CompileContext): Model['descriptions'] {
  if (declared['descriptions'] !== 'authenticated') return 'public';
  if (declared['auth'] === undefined) {
    const cause = 'descriptions for authenticated callers need auth: without it there are none';
    report([...path, 'descriptions'], cause, 'remove it, or declare auth');
  }
  return 'authenticated';
}

/** The origin that clients use, without the base path. */
function compilePublicUrl({ declared, path, report }: CompileContext): string | null {
  const text = readString(declared['public_url']);
  if (text === null) return null;
  const url = URL.parse(text);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
  if (!isOrigin) {
    const fix = 'write only scheme and host, such as https://api.example.com, and the path as base_path';
    report([...path, 'public_url'], 'the public URL is not an http or https origin', fix);
  }
  return isOrigin ? url.origin : null;
}

/**
 * The major version for requests that do not name one. It must be served, and declared where there are several (VER-2).
 */
function compileDefaultVersion({ major }: ContractVersion, { declared, path, report }: CompileContext): number {
  const given = readNumber(declared['default_version']);
  const older = Object.entries(readObject(declared['versions'])).filter(
    ([, held]) => readObject(held)['retired'] !== true,
  );
  const served = new Set([major, ...older.map(([text]) => readVersion(text).major)]);
  const majors = [...served].join(' and ');
  if (given === null && served.size > 1) {
    const cause = `the majors ${majors} are served, so a request without a version needs a default`;
    report([...path, 'versions'], cause, `write default_version: ${[...served].at(-1)}`);
  } else if (given !== null && !served.has(given)) {
    const fix = served.size === 1 ? `write ${major}, the major of version, or remove it` : `use one of ${majors}`;
    report([...path, 'default_version'], `version ${given} is not served`, fix);
  }
  return given ?? major;
}

/** Compiles `trusted_proxies` and reports what is no address or network (AUTH-6). */
function compileTrustedProxies({ declared, path, report }: CompileContext): readonly AddressRange[] {
  return readStrings(declared['trusted_proxies']).flatMap((text, index) => {
    const range = parseAddressRange(text);
    if (range !== null) return [range];
    const fix = 'write an address such as 10.0.0.1, or a network such as 10.0.0.0/8, with no bits set after its prefix';
    report([...path, 'trusted_proxies', index], `'${text}' is not an address or a network`, fix);
    return [];
  });
}
