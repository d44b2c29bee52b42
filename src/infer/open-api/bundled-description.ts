import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';
import { readObject } from '../../model/values/access.ts';

/** Reads another file of a description; null for one that does not exist. @param file path relative to it, with `/` */
export type ReadPart = (file: string) => Promise<Json>;

/** The member of a bundled description that has its other files, by their paths. */
const FILES = 'x-files';

/** Files of one description. */
const MAX_FILES = 1_000;

/**
 * Bundles a description and the files in its folder that it refers to: all references are local then. References to
 * other places stay as they are, and lead to nothing.
 */
export async function bundleDescription(document: JsonObject, read: ReadPart): Promise<JsonObject> {
  const files: Record<string, Json> = {};
  const open: string[] = [];
  const follow = (reference: string, from: string): string => {
    const [, file = '', pointer = ''] = /^([^#]*)#?(.*)$/s.exec(reference) ?? [];
    if (file === '' && from === '') return reference;
    const target = file === '' ? from : joinPath(from, file);
    if (target === null) return reference;
    if (!Object.hasOwn(files, target) && Object.keys(files).length < MAX_FILES) {
      files[target] = null;
      open.push(target);
    }
    return `#/${FILES}/${encodeURIComponent(target.replaceAll('~', '~0').replaceAll('/', '~1'))}${pointer}`;
  };
  const bundled = rewriteReferences(document, (reference) => follow(reference, ''));
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    const from = file;
    files[file] = rewriteReferences(await read(file), (reference) => follow(reference, from));
  }
  return Object.keys(files).length === 0 ? document : { ...readObject(bundled), [FILES]: files };
}

function rewriteReferences(value: Json, rewrite: (reference: string) => string): Json {
  if (Array.isArray(value)) return value.map((each) => rewriteReferences(each, rewrite));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]): [string, Json] =>
      name === '$ref' && typeof member === 'string'
        ? [name, rewrite(member)]
        : [name, rewriteReferences(member, rewrite)],
    ),
  );
}

/** The path of a file that another one names; null for a URL, and for a file outside the folder of the description. */
function joinPath(from: string, file: string): string | null {
  if (/^[a-z][a-z0-9+.-]*:|^\/|\\/i.test(file)) return null;
  const steps = from.split('/').slice(0, -1);
  for (const step of file.split('/')) {
    if (step === '' || step === '.') continue;
    if (step !== '..') steps.push(step);
    else if (steps.pop() === undefined) return null;
  }
  return steps.join('/');
}
