// Completes package-lock.json: `node scripts/run.mjs scripts/lock.ts` after every change of a dependency.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { root } from './command.ts';

/** An entry of the lockfile; further members are copied. */
export interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
  readonly [member: string]: unknown;
}

const platforms: ReadonlySet<string> = new Set(['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32']);
const processors: ReadonlySet<string> = new Set(['x64', 'arm64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x', 'wasm32']);

/**
 * The entries that a lockfile lacks: packages for other platforms. The registry did not have these at the time.
 * npm omits them, and `npm ci` then rejects the lockfile on every machine. Platform and processor follow from the name
 * of the package.
 *
 * @throws {Error} where an optional dependency is not pinned to one version
 */
export function missingPlatforms({ packages }: Lockfile): Readonly<Record<string, LockedPackage>> {
  const missing = Object.values(packages).flatMap(({ dev, optionalDependencies }) =>
    Object.entries(optionalDependencies ?? {})
      .filter(([name]) => packages[`node_modules/${name}`] === undefined)
      .map(([name, version]) => [`node_modules/${name}`, platformPackage(name, version, dev === true)] as const),
  );
  return Object.fromEntries(missing);
}

function platformPackage(name: string, version: string, dev: boolean): LockedPackage {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`${name}@${version} is not a single version: lock it by hand`);
  const words = name.split(/[-/]/);
  const library = words.flatMap((word) => /^(musl|gnu)/.exec(word)?.[1] ?? []);
  return {
    version,
    cpu: words.filter((word) => processors.has(word)),
    ...(dev ? { dev } : {}),
    ...(library.length === 0 ? {} : { libc: library.map((word) => (word === 'gnu' ? 'glibc' : word)) }),
    optional: true,
    os: words.filter((word) => platforms.has(word)),
  };
}

if (import.meta.main) {
  const file = path.join(root, 'package-lock.json');
  const lockfile: Lockfile = JSON.parse(readFileSync(file, 'utf8'));
  const missing = missingPlatforms(lockfile);
  const packages = Object.entries({ ...lockfile.packages, ...missing }).sort(([a], [b]) => a.localeCompare(b, 'en'));
  writeFileSync(file, `${JSON.stringify({ ...lockfile, packages: Object.fromEntries(packages) }, null, 2)}\n`);
  process.stdout.write(`package-lock.json: ${Object.keys(missing).length} packages for other platforms added\n`);
}
