import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { bundleName, type ProcessResult, type RunningProcess, Sandbox } from './sandbox.ts';

/** A lockfile with one package of a version, and one for another platform. */
export const lockfile = (version: string, more: Readonly<Record<string, object>> = {}): string =>
  JSON.stringify({
    packages: {
      '': { name: 'restwright' },
      'node_modules/yaml': { version, integrity: `sha512-${version}` },
      'node_modules/tool-elsewhere': { version: '1.0.0', optional: true, os: ['aix'], cpu: [process.arch] },
      ...more,
    },
  });

/** A package of the lockfile that this platform needs. */
export const forHere: object = {
  version: '1.0.0',
  integrity: 'sha512-1',
  optional: true,
  os: [process.platform],
  cpu: [process.arch],
};

/**
 * A fake npm: records its arguments, waits, and creates the packages of the lockfile for this platform, on request with
 * a Node.
 */
const npm = `#!${process.execPath}
const fs = require('node:fs');
fs.appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n');
fs.rmSync('node_modules', { recursive: true, force: true });
console.log('npm speaks');
setTimeout(() => {
  if (process.env.NPM_FAILS) process.exit(Number(process.env.NPM_FAILS));
  const { packages } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));
  const present = Object.entries(packages).filter(([, each]) => !each.os?.includes('aix'));
  fs.mkdirSync('node_modules', { recursive: true });
  if (process.env.NPM_BUNDLES) {
    const home = 'node_modules/${bundleName}';
    fs.mkdirSync(home + '/bin', { recursive: true });
    fs.writeFileSync(home + '/package.json', JSON.stringify({ version: process.env.NPM_BUNDLES }));
    fs.symlinkSync(process.execPath, home + '/bin/node');
  }
  fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(present) }));
}, Number(process.env.NPM_TAKES ?? 0));
`;

/** A checkout with a program that prints its arguments, and the fake as the only npm. */
export class Checkout {
  readonly sandbox = new Sandbox();

  constructor() {
    this.sandbox.copy('bin', 'scripts');
    this.sandbox.write('package.json', '{ "type": "module" }');
    this.sandbox.write('package-lock.json', lockfile('1.0.0'));
    const program = 'console.log(JSON.stringify(process.argv.slice(2) as string[]));\nprocess.exitCode = 5;\n';
    this.sandbox.write('program.ts', program);
    this.sandbox.write('fake/package.json', '{ "type": "commonjs" }');
    this.sandbox.write('fake/npm', npm, 0o755);
  }

  /** Starts `scripts/run.mjs` with the program. */
  start(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): RunningProcess {
    return this.startFile('scripts/run.mjs', ['program.ts', ...args], env);
  }

  startFile(file: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): RunningProcess {
    return this.sandbox.start(file, args, { PATH: this.sandbox.path('fake'), ...env });
  }

  run(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<ProcessResult> {
    return this.start(args, env).ended;
  }

  /** The arguments of every npm that was started. */
  calls(): readonly string[] {
    const file = this.sandbox.path('calls');
    return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  }

  [Symbol.dispose](): void {
    this.sandbox[Symbol.dispose]();
  }
}
