import { builtinModules } from 'node:module';
import type { Finding } from './finding.ts';
import { cycles, readPackage, reachableFiles, importedFile } from './graph.ts';
import { type Folder, findFolder, folders } from './layout.ts';
import type { Import, Source } from './source.ts';

/** Which folders of src/ import which. */
export function folderFindings(sources: readonly Source[]): readonly Finding[] {
  return sources.flatMap((source) => {
    const folder = findFolder(source.path);
    if (folder === undefined) return [unknownFolder(source)];
    return source.imports.flatMap((each) => importFindings(source, folder, each));
  });
}

function unknownFolder({ path }: Source): Finding {
  const message = `is in no known folder: move it into one of ${folders.map(({ name }) => name).join(', ')}`;
  return { file: path, line: 1, rule: 'folders', message };
}

function importFindings(source: Source, folder: Folder, each: Import): readonly Finding[] {
  const at = { file: source.path, line: each.line };
  const file = importedFile(source, each);
  if (file === null) return moduleFindings(at, folder, each);
  const other = findFolder(file);
  if (!file.startsWith('src/') && other !== folder)
    return [
      {
        ...at,
        rule: 'layers',
        message: `imports ${file}: src/ must not depend on other folders, move what it needs into src/`,
      },
    ];
  if (other === undefined || other === folder) return [];
  const reason = whyForbidden(folder, other, file);
  return reason === null ? [] : [{ ...at, rule: 'layers', message: `${folder.name} imports ${file}: ${reason}` }];
}

function whyForbidden(folder: Folder, other: Folder, file: string): string | null {
  if (other.layer > folder.layer)
    return `layer ${folder.layer} must not import layer ${other.layer}: inject the value or move it down`;
  if (other.layer === folder.layer && folders.indexOf(other) > folders.indexOf(folder))
    return `within layer ${folder.layer}, ${other.name} comes after ${folder.name}: reverse the import or move the shared part down`;
  const open = folder.open?.[other.name];
  if (open !== undefined && !open.includes(file))
    return `${folder.name} may import only ${open.join(', ') || 'nothing'} of ${other.name}`;
  return folder.closed?.[other.name] ?? null;
}

function moduleFindings(at: Pick<Finding, 'file' | 'line'>, folder: Folder, { name }: Import): readonly Finding[] {
  // Some modules, like node:test, exist only with the scheme.
  if (!name.startsWith('node:') && builtinModules.includes(name))
    return [{ ...at, rule: 'modules', message: `imports '${name}': write 'node:${name}'` }];
  const denied = folder.noModules?.find((each) =>
    each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each,
  );
  if (denied === undefined) return [];
  return [{ ...at, rule: 'modules', message: `${folder.name} must not import ${denied}: inject what it needs` }];
}

/** Import cycles. */
export function cycleFindings(sources: readonly Source[]): readonly Finding[] {
  return cycles(sources).map((loop) => {
    const [file = '', next = file] = loop;
    const source = sources.find(({ path }) => path === file);
    const line = source?.imports.find((each) => importedFile(source, each) === next)?.line ?? 1;
    const message = `import cycle ${[...loop, file].join(' -> ')}: move the shared part into a lower file`;
    return { file, line, rule: 'cycles', message };
  });
}

/** A folder that runs in a browser must not reach a `node:` module, not even indirectly. */
export function browserFindings(sources: readonly Source[]): readonly Finding[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  return sources
    .filter(({ path }) => findFolder(path)?.noModules?.includes('node:*') === true)
    .flatMap((start) =>
      [...reachableFiles(byPath, start)].flatMap(([source, path]) => {
        const node =
          source === start ? undefined : source.imports.find((each) => !each.typeOnly && each.name.startsWith('node:'));
        if (node === undefined) return [];
        const message = `reaches ${node.name} through ${path.join(' -> ')}: import only types, or move the pure part out`;
        return [{ file: start.path, line: 1, rule: 'modules', message }];
      }),
    );
}

/** Each third-party library is imported by one file of src/, and is a dependency of the published package. */
export function libraryFindings(sources: readonly Source[], dependencies: ReadonlySet<string>): readonly Finding[] {
  const owners = new Map<string, string>();
  return sources.flatMap((source) =>
    source.imports.flatMap((each): readonly Finding[] => {
      const library = readPackage(each);
      if (library === null || builtinModules.includes(each.name)) return [];
      const at = { file: source.path, line: each.line, rule: 'libraries' };
      const owner = owners.getOrInsert(library, source.path);
      const messages = [
        ...(owner === source.path ? [] : [`${owner} already imports ${library}: use the exports of that file`]),
        ...(dependencies.has(library) ? [] : [`${library} is missing in "dependencies" of package.json: add it`]),
      ];
      return messages.map((message) => ({ ...at, message }));
    }),
  );
}
