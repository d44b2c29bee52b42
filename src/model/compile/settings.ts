import type { CompileContext } from '../document/compile-context.ts';
import { numberOf, objectOf, stringOf } from '../values/access.ts';
import { compileLimits } from '../limits.ts';
import type { ContractVersion, Model } from '../model.ts';
import { ORIGIN_PATHS } from './names.ts';

/** What a model says beside its resources. */
export type ApiSettings = Omit<Model, 'resources' | 'collections' | 'fingerprint'>;

const DEFAULT_VERSION_TEXT = '1.0.0';
const DEFAULT_BASE_PATH = '/api';
const VERSION = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/;

/** The settings of the whole API. A faulty one is announced and stands at its default. */
export function compileSettings(document: CompileContext): ApiSettings {
  const { declared, path, report } = document;
  const name = stringOf(declared['name']) ?? '';
  const version = readVersion(stringOf(declared['version']) ?? DEFAULT_VERSION_TEXT);
  return {
    name,
    title: stringOf(declared['title']) ?? name,
    version,
    basePath: compileBasePath(document),
    publicUrl: compilePublicUrl(document),
    defaultVersion: compileDefaultVersion(version, document),
    secret: stringOf(declared['secret']),
    limits: compileLimits({ declared: objectOf(declared['limits']), path: [...path, 'limits'], report }),
    system: { batches: stringOf(objectOf(declared['system'])['batches']) ?? 'batches' },
  };
}

/** MAJOR.MINOR.PATCH; a text of another form, which the document's schema announces, counts as the default. */
function readVersion(text: string): ContractVersion {
  const [, major = 1, minor = 0, patch = 0] = VERSION.exec(text) ?? [];
  return { major: Number(major), minor: Number(minor), patch: Number(patch) };
}

function compileBasePath({ declared, path, report }: CompileContext): string {
  const basePath = stringOf(declared['base_path']) ?? DEFAULT_BASE_PATH;
  const [, first = ''] = basePath.split('/');
  if (ORIGIN_PATHS.has(first)) {
    report(
      [...path, 'base_path'],
      `/${first} is served at the origin already`,
      'choose another base path, such as /api',
    );
  }
  return basePath === '/' ? '' : basePath;
}

/** An origin: clients reach the API at its base path below it. */
function compilePublicUrl({ declared, path, report }: CompileContext): string | null {
  const text = stringOf(declared['public_url']);
  if (text === null) return null;
  const url = URL.parse(text);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
  if (!isOrigin) {
    const fix = 'write scheme and host alone, such as https://api.example.com, and the path under base_path';
    report([...path, 'public_url'], 'the public URL is no http or https origin', fix);
  }
  return isOrigin ? url.origin : null;
}

/** The major that a request without a version gets: one that the document declares (VER-2). */
function compileDefaultVersion({ major }: ContractVersion, { declared, path, report }: CompileContext): number {
  const chosen = numberOf(declared['default_version']) ?? major;
  const older = Object.keys(objectOf(declared['versions'])).map((text) => readVersion(text).major);
  if (chosen !== major && !older.includes(chosen)) {
    const fix = `write ${major}, the major of version, or leave it out`;
    report([...path, 'default_version'], `version ${chosen} is not declared`, fix);
  }
  return chosen;
}
