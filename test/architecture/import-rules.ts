import { builtinModules } from 'node:module';
import type { Finding } from './finding.ts';
import { cycles, packageOf, reachableFiles, importedFile } from './graph.ts';
import { type Folder, folderOf, folders } from './layout.ts';
import type { Import, Source } from './source.ts';

/** Who may import whom inside src/. */
export function folderFindings(sources: readonly Source[]): readonly Finding[] {
  return sources.flatMap((source) => {
    const room = folderOf(source.path);
    if (room === undefined) return [strayFile(source)];
    return source.imports.flatMap((each) => importFindings(source, room, each));
  });
}

function strayFile({ path }: Source): Finding {
  const message = `is in no room of the house: move it into one of ${folders.map(({ name }) => name).join(', ')}`;
  return { file: path, line: 1, rule: 'rooms', message };
}

function importFindings(source: Source, room: Folder, each: Import): readonly Finding[] {
  const at = { file: source.path, line: each.line };
  const file = importedFile(source, each);
  if (file === null) return moduleFindings(at, room, each);
  if (!file.startsWith('src/'))
    return [
      { ...at, rule: 'floors', message: `imports ${file}: src/ stands on its own, move what it needs into a room` },
    ];
  const other = folderOf(file);
  if (other === undefined || other === room) return [];
  const reason = whyClosed(room, other, file);
  return reason === null ? [] : [{ ...at, rule: 'floors', message: `${room.name} imports ${file}: ${reason}` }];
}

function whyClosed(room: Folder, other: Folder, file: string): string | null {
  if (other.layer > room.layer)
    return `floor ${room.layer} knows nothing of floor ${other.layer}, imports run downward: hand the value in or move it down`;
  if (other.layer === room.layer && folders.indexOf(other) > folders.indexOf(room))
    return `on floor ${room.layer}, ${other.name} stands after ${room.name}: turn the import round or move the shared part down`;
  const open = room.open?.[other.name];
  if (open !== undefined && !open.includes(file))
    return `of ${other.name} only ${open.join(', ') || 'nothing'} is open to ${room.name}`;
  return room.closed?.[other.name] ?? null;
}

function moduleFindings(at: Pick<Finding, 'file' | 'line'>, room: Folder, { name }: Import): readonly Finding[] {
  // What has a scheme already, and what stands under it alone (node:test), is as it should be.
  if (!name.startsWith('node:') && builtinModules.includes(name))
    return [{ ...at, rule: 'modules', message: `imports '${name}': write 'node:${name}'` }];
  const denied = room.noModules?.find((each) =>
    each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each,
  );
  if (denied === undefined) return [];
  return [{ ...at, rule: 'modules', message: `${room.name} must never know ${denied}: have what it needs handed in` }];
}

/** No file leads back to itself. */
export function cycleFindings(sources: readonly Source[]): readonly Finding[] {
  return cycles(sources).map((loop) => {
    const [file = '', next = file] = loop;
    const source = sources.find(({ path }) => path === file);
    const line = source?.imports.find((each) => importedFile(source, each) === next)?.line ?? 1;
    const message = `import cycle ${[...loop, file].join(' -> ')}: move what both sides need into a file below them`;
    return { file, line, rule: 'cycles', message };
  });
}

/** A room that runs in a browser reaches no `node:` module, not even through another room. */
export function browserFindings(sources: readonly Source[]): readonly Finding[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  return sources
    .filter(({ path }) => folderOf(path)?.noModules?.includes('node:*') === true)
    .flatMap((start) =>
      [...reachableFiles(byPath, start)].flatMap(([source, way]) => {
        const node =
          source === start ? undefined : source.imports.find((each) => !each.typeOnly && each.name.startsWith('node:'));
        if (node === undefined) return [];
        const message = `reaches ${node.name} by ${way.join(' -> ')}: import the types alone, or move the pure part out`;
        return [{ file: start.path, line: 1, rule: 'modules', message }];
      }),
    );
}

/** Each third-party library stands behind one file of src/, and is a dependency of what is published. */
export function libraryFindings(sources: readonly Source[], dependencies: ReadonlySet<string>): readonly Finding[] {
  const owners = new Map<string, string>();
  return sources.flatMap((source) =>
    source.imports.flatMap((each): readonly Finding[] => {
      const library = packageOf(each);
      if (library === null || builtinModules.includes(each.name)) return [];
      const at = { file: source.path, line: each.line, rule: 'libraries' };
      const owner = owners.getOrInsert(library, source.path);
      const messages = [
        ...(owner === source.path ? [] : [`${library} is already behind ${owner}: use what that file exports`]),
        ...(dependencies.has(library)
          ? []
          : [`${library} is no entry of "dependencies" in package.json: add it there`]),
      ];
      return messages.map((message) => ({ ...at, message }));
    }),
  );
}
