import { lazy } from '../../../cache/memoize.ts';
import { UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import { betterSqlite3 } from './better-sqlite3.ts';
import type { Driver, DriverName } from './driver.ts';
import { nodeSqlite } from './node-sqlite.ts';

/** @throws where the runtime cannot load the library */
export type LoadDriver = (name: DriverName) => Driver;

const loaders: Readonly<Record<DriverName, () => Driver>> = {
  'better-sqlite3': lazy(betterSqlite3),
  node: lazy(nodeSqlite),
};

/** Loads a driver once. @throws where the runtime cannot load its library */
export const loadDriver: LoadDriver = (name) => loaders[name]();

/**
 * A driver, and the error for which it is not better-sqlite3, the default; null where it is, and where it was chosen.
 */
export interface SelectedDriver {
  readonly driver: Driver;
  readonly replaces: Error | null;
}

/**
 * The driver of a name; without one better-sqlite3, or `node:sqlite` where that cannot be loaded.
 *
 * @throws {UnusableDatabase} where the chosen driver, or none at all, can be loaded
 */
export function selectDriver(name: DriverName | undefined, load: LoadDriver = loadDriver): SelectedDriver {
  if (name !== undefined) return { driver: loadChosen(name, load), replaces: null };
  try {
    return { driver: load('better-sqlite3'), replaces: null };
  } catch (error) {
    return { driver: loadChosen('node', load), replaces: error instanceof Error ? error : new Error(String(error)) };
  }
}

function loadChosen(name: DriverName, load: LoadDriver): Driver {
  try {
    return load(name);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const [advice, cause] = [ADVICE[name], { cause: error }];
    throw new UnusableDatabase(`The driver ${name} cannot be loaded: ${reason.split('\n')[0]}. ${advice}`, cause);
  }
}

const ADVICE: Readonly<Record<DriverName, string>> = {
  'better-sqlite3': 'Install the package better-sqlite3 for this platform, or choose the driver node.',
  node: 'Use a runtime that has node:sqlite, or choose the driver better-sqlite3.',
};
