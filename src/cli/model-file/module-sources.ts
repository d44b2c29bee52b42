import { readFileSync } from 'node:fs';
import module, { type LoadHookContext } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { packagePath } from '../../platform/process/package-path.ts';

const PACKAGE = pathToFileURL(packagePath(path.sep)).href;

const IS_SOURCE = import.meta.url.startsWith(`${PACKAGE}src/`);

/** The modules of this program that a model imports by these names if no package `restwright` is installed for it. */
const ENTRIES: Readonly<Record<string, string>> = {
  restwright: PACKAGE + (IS_SOURCE ? 'src/index.ts' : 'dist/index.js'),
  'restwright/model': PACKAGE + (IS_SOURCE ? 'src/exports/model.ts' : 'dist/model.js'),
};

/** URL prefixes of this program's own modules, as sources and as built. */
const PROGRAM = ['src/', 'dist/'].map((folder) => PACKAGE + folder);
const DEPENDENCIES = '/node_modules/';

/** A statement that only an ECMAScript module can have, at the beginning of a line. */
const MODULE_STATEMENT = /^(?:import\s*[\w{*'"]|export\s*[\w{*])/m;
const MODULE_FORMATS: Readonly<Record<string, string>> = { '.ts': 'module-typescript', '.js': 'module' };

const decoder = new TextDecoder();

/**
 * The source of each module by URL. Node.js loads a module only once, so that sources are retained for later imports of
 * it.
 */
const sourcesByUrl = new Map<string, string>();

/**
 * Loads a model's module and returns, with it, the sources of the modules that it imports, in the order of their URLs.
 * The code of the model depends on them. Modules in `node_modules` are left out. A file with `import` or `export` is an
 * ECMAScript module, whatever the `type` of its package. `npm init` writes `commonjs`, and without a type Node.js
 * warns. `restwright` is this program where it is not installed for the model.
 */
export async function captureModuleSources<T>(
  load: () => Promise<T>,
): Promise<{ readonly loaded: T; readonly sources: readonly string[] }> {
  const { registerHooks }: Partial<typeof module> = module;
  // Bun has none: there, a change in a module that the model imports is no change of the model.
  if (registerHooks === undefined) return { loaded: await load(), sources: [] };
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        const entry = ENTRIES[specifier];
        if (entry === undefined) throw error;
        return next(entry, context);
      }
    },
    load(url, context, next) {
      const loaded = next(url, withModuleFormat(url, context));
      const { source } = loaded;
      if (isImportedByModel(url) && source)
        sourcesByUrl.set(url, typeof source === 'string' ? source : decoder.decode(source));
      return loaded;
    },
  });
  try {
    const loaded = await load();
    const urls = [...sourcesByUrl.keys()].toSorted();
    return { loaded, sources: urls.map((url) => sourcesByUrl.get(url) ?? '') };
  } finally {
    hooks.deregister();
  }
}

/** A URL with a query is the model file itself, whose source its reader has. */
function isImportedByModel(url: string): boolean {
  return isOfModel(url) && !url.includes('?');
}

/** True if a file belongs to the model, and neither to this program nor to an installed package. */
function isOfModel(url: string): boolean {
  return url.startsWith('file:') && !url.includes(DEPENDENCIES) && !PROGRAM.some((prefix) => url.startsWith(prefix));
}

function withModuleFormat(url: string, context: LoadHookContext): LoadHookContext {
  if (!isOfModel(url) || context.format?.startsWith('module') === true) return context;
  const file = fileURLToPath(url);
  const format = MODULE_FORMATS[path.extname(file)];
  if (format === undefined || !MODULE_STATEMENT.test(readFileSync(file, 'utf8'))) return context;
  return { ...context, format };
}
