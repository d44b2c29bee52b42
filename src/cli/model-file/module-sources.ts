import { registerHooks } from 'node:module';

const PACKAGE = new URL('.', import.meta.resolve('restwright/package.json')).href;

/** URL prefixes of this program's own modules, as sources and as built. */
const PROGRAM = ['src/', 'dist/'].map((folder) => PACKAGE + folder);
const DEPENDENCIES = '/node_modules/';

const decoder = new TextDecoder();

/** The source of each module by URL. Node.js loads a module only once, so that sources are retained for later imports of it. */
const sourcesByUrl = new Map<string, string>();

/**
 * Loads a model's module and returns, with it, the sources of the modules that it imports, in the order of their URLs. The code of the
 * model depends on them. Modules in `node_modules` are left out.
 */
export async function captureModuleSources<T>(
  load: () => Promise<T>,
): Promise<{ readonly loaded: T; readonly sources: readonly string[] }> {
  const hooks = registerHooks({
    load(url, context, next) {
      const module = next(url, context);
      const { source } = module;
      if (isImportedByModel(url) && source)
        sourcesByUrl.set(url, typeof source === 'string' ? source : decoder.decode(source));
      return module;
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
  if (!url.startsWith('file:') || url.includes('?') || url.includes(DEPENDENCIES)) return false;
  return !PROGRAM.some((prefix) => url.startsWith(prefix));
}
