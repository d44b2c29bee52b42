import { registerHooks } from 'node:module';

/** Where this program's own modules lie. */
const PROGRAM = new URL('..', import.meta.url).href;
const PACKAGES = '/node_modules/';

const decoder = new TextDecoder();

/** The texts of modules by where they lie. Node.js loads each of them once, so that they are kept for whoever imports them again. */
const texts = new Map<string, string>();

/**
 * Has a model loaded, and tells the texts of what it imports, in the order of their places: what its code does hangs on them. Packages are
 * left out.
 */
export async function captureModuleSources<T>(
  load: () => Promise<T>,
): Promise<{ readonly loaded: T; readonly texts: readonly string[] }> {
  const hooks = registerHooks({
    load(url, context, next) {
      const module = next(url, context);
      const { source } = module;
      if (isOwn(url) && source) texts.set(url, typeof source === 'string' ? source : decoder.decode(source));
      return module;
    },
  });
  try {
    const loaded = await load();
    const places = [...texts.keys()].toSorted();
    return { loaded, texts: places.map((place) => texts.get(place) ?? '') };
  } finally {
    hooks.deregister();
  }
}

/** What has a query is a model itself, whose text is known to whoever loads it. */
function isOwn(url: string): boolean {
  return url.startsWith('file:') && !url.includes('?') && !url.includes(PACKAGES) && !url.startsWith(PROGRAM);
}
