import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { killAll, type ServerProcess, startProgram, waitUntilListening } from '../../cli/server-process.ts';
import { type ProcessResult, root, RunningProcess, Sandbox } from '../sandbox.ts';

/** A server of the project that accepts requests. */
export interface Served {
  readonly process: ServerProcess;
  /** The origin, without the base path. */
  readonly origin: string;
  /** Stops the server as a service manager does. @returns the exit code */
  stop(): Promise<number | string | null>;
}

/** A program that runs on a terminal. */
export interface OnTerminal {
  readonly process: RunningProcess;
  readonly press: (key: string) => void;
}

/** An npm project in a temporary folder, with the package that a checkout packs. */
export class NewProject implements AsyncDisposable {
  readonly sandbox: Sandbox = new Sandbox();
  readonly #servers: ServerProcess[] = [];
  readonly #tarball: string;

  private constructor(tarball: string) {
    this.#tarball = tarball;
  }

  /**
   * Packs the checkout, and installs the tarball with the real npm: from its cache, as far as that has the
   * dependencies.
   */
  static create(): NewProject {
    const packed = execFileSync(process.execPath, ['scripts/pack.ts'], { cwd: root, encoding: 'utf8' }).trim();
    const project = new NewProject(packed);
    const options = { cwd: project.sandbox.folder, env: project.#environment(), stdio: 'pipe' } as const;
    execFileSync('npm', ['init', '--yes'], options);
    execFileSync(
      'npm',
      ['install', packed, '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'],
      options,
    );
    return project;
  }

  /** Makes a package that the checkout has for its tests a package of the project. */
  link(name: string): void {
    const target = this.sandbox.path('node_modules', name);
    mkdirSync(path.dirname(target), { recursive: true });
    symlinkSync(path.join(root, 'node_modules', name), target);
  }

  read(file: string): string {
    return readFileSync(this.sandbox.path(file), 'utf8');
  }

  /** Runs a program in the folder of the project, with those of its packages in the PATH. */
  run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<ProcessResult> {
    const options = { cwd: this.sandbox.folder, env: { ...this.#environment(), ...env } };
    return new RunningProcess(spawn(program, args, options)).ended;
  }

  /** Runs a command line of restwright, as in a shell. */
  restwright(line: string): Promise<ProcessResult> {
    return this.run('restwright', line.split(' '));
  }

  /** Starts a command on a terminal. Its output has the line ends of a terminal. */
  onTerminal(line: string, env: NodeJS.ProcessEnv = {}): OnTerminal {
    const options = { cwd: this.sandbox.folder, env: { ...this.#environment(), TERM: 'xterm', ...env } };
    // `exec`: else a shell such as dash stays as its parent, and exits with 130 after Ctrl-C, whatever the command
    // exits with.
    const child = spawn(
      'script',
      ['--quiet', '--return', '--flush', '--command', `exec ${line}`, '/dev/null'],
      options,
    );
    return { process: new RunningProcess(child), press: (key) => void child.stdin.write(key) };
  }

  /** Runs a command line of curl. @returns the response, with its head */
  async curl(url: string, ...args: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)('curl', ['-sSi', url, ...args]);
    return stdout;
  }

  /** Starts `restwright serve` on a free port and waits until it listens. */
  serve(...args: readonly string[]): Promise<Served> {
    return this.start('node_modules/restwright/bin/restwright.js', 'serve', ...args, '--port', '0');
  }

  /** Starts a program of the project that prints `listening on URL`, and waits for that line. */
  async start(file: string, ...args: readonly string[]): Promise<Served> {
    const server = startProgram(this.sandbox.folder, [file, ...args]);
    this.#servers.push(server);
    const { origin } = new URL(await waitUntilListening(server));
    return {
      process: server,
      origin,
      stop() {
        server.child.kill('SIGTERM');
        return server.exited;
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await killAll(this.#servers);
    this.sandbox[Symbol.dispose]();
    rmSync(path.dirname(this.#tarball), { recursive: true, force: true });
  }

  /** That of a shell in the project, whose `node` is the one of this process. */
  #environment(): NodeJS.ProcessEnv {
    const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
    const folders = [this.sandbox.path('node_modules', '.bin'), path.dirname(process.execPath), env['PATH'] ?? ''];
    return { ...env, PATH: folders.join(path.delimiter) };
  }
}

/** The JSON body of a response that curl showed with its head. */
export function parseBody(response: string): Record<string, unknown> {
  const body: unknown = JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4));
  assert.ok(typeof body === 'object' && body !== null && !Array.isArray(body), response);
  return { ...body };
}

/** The arguments of curl before a JSON body. */
export const JSON_BODY: readonly string[] = ['-H', 'Content-Type: application/json', '-d'];
