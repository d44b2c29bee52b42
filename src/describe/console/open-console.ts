import type { Model } from '../../model/model.ts';
import { programVersion } from '../../platform/process/program-version.ts';
import { CONFIG_NAME, writeConsoleConfig } from './console-config.ts';
import { type ConsoleFiles, describeFile, PAGE, readConsoleFiles } from './console-files.ts';

/** The console of an API. */
interface ConsoleOptions {
  readonly model: Model;
  /** True if `/metrics` is a path of the origin, where there are metrics. */
  readonly serveMetrics: boolean;
  readonly metrics: object | null;
  /** True for the console of this package, false for none, or the folder of another build. */
  readonly console: boolean | { readonly folder: string };
  /** True if a person may give it a token or an API key. */
  readonly consolePaste: boolean;
}

/** Reads the files of the console, with its configuration; none where it is not served. @throws {ConsoleMissing} */
export function openConsole(options: ConsoleOptions): ConsoleFiles {
  const { model, console: served, consolePaste, serveMetrics, metrics } = options;
  if (served === false) return new Map();
  const files = readConsoleFiles(served === true ? undefined : served.folder);
  const servesMetrics = serveMetrics && metrics !== null;
  const facts = { servesMetrics, acceptsPaste: consolePaste, release: programVersion() };
  const config = new TextEncoder().encode(writeConsoleConfig(model, facts));
  return new Map([...files, [CONFIG_NAME, describeFile(CONFIG_NAME, config, false)]]);
}

/** The names of the files, without the page itself; null where the console is not served. */
export function fileNames(files: ConsoleFiles): readonly string[] | null {
  return files.size === 0 ? null : [...files.keys()].filter((name) => name !== PAGE);
}
