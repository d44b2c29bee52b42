// Installs the dependencies of the lockfile. JavaScript that Node 18 and later can run.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { passThrough } from '../bin/bundled-node.js';

/**
 * Installs the dependencies of a checkout where they are missing, incomplete or those of another lockfile.
 * Concurrent starts wait for the one that installs.
 *
 * @param {string} root the checkout's folder
 * @returns {Promise<number>} 0 when all are installed, else an exit code; the reason is on standard error
 */
export async function install(root) {
  if (isInstalled(root)) return 0;
  const unlock = await lock(path.join(root, '.cache', 'install.lock'));
  try {
    return isInstalled(root) ? 0 : await runNpm(root);
  } finally {
    unlock();
  }
}

/**
 * Whether `node_modules` contains every package that the lockfile lists for this platform. Reads npm's own record, which `npm ci` removes
 * first and writes last, so that an interrupted install has none.
 */
function isInstalled(root) {
  const present = packagesOf(path.join(root, 'node_modules', '.package-lock.json'));
  const wanted = packagesOf(path.join(root, 'package-lock.json'));
  const needed = namesNeededBy(present);
  return Object.entries(wanted).every(([place, { version, integrity, ...wants }]) => {
    const there = present[place];
    if (there === undefined) return place === '' || (wants.optional === true && !isExpected(place, wants, needed));
    return there.version === version && there.integrity === integrity;
  });
}

/** The names of the packages on which those in a lockfile depend. */
function namesNeededBy(packages) {
  const dependencies = Object.values(packages).map((each) => ({ ...each.dependencies, ...each.optionalDependencies }));
  return new Set(dependencies.flatMap((each) => Object.keys(each)));
}

/** True if npm installs an optional package here. One for any platform may be a part of one for another platform. */
function isExpected(place, wants, needed) {
  const isForAny = wants.os === undefined && wants.cpu === undefined;
  return isForThisPlatform(wants) && (!isForAny || needed.has(place.split('node_modules/').at(-1)));
}

/** Whether a package supports this platform. A package that names a C library may not. */
function isForThisPlatform({ os, cpu, libc }) {
  return (os?.includes(process.platform) ?? true) && (cpu?.includes(process.arch) ?? true) && libc === undefined;
}

function packagesOf(lockfile) {
  try {
    return JSON.parse(readFileSync(lockfile, 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error instanceof SyntaxError) return {};
    throw error;
  }
}

/** Acquires the lock, a file with the process id of its owner; the result releases it. */
async function lock(file) {
  mkdirSync(path.dirname(file), { recursive: true });
  for (let isReported = false; ; await sleep(100)) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const owner = ownerOf(file);
    if (owner !== undefined && !isAlive(owner)) rmSync(file, { force: true });
    else if (!isReported) {
      isReported = true;
      process.stderr.write(
        `waiting for another start (process ${owner ?? 'unknown'}) to install the dependencies ...\n`,
      );
    }
  }
}

/** The process that holds the lock; undefined just before the id is written and after the lock is released. */
function ownerOf(file) {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) || undefined;
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Runs `npm ci` with its output on standard error: standard output belongs to the program that starts afterwards. */
async function runNpm(root) {
  process.stderr.write('installing the dependencies of this checkout (once, about 15 s) ...\n');
  // No dependency needs an install script. NODE_ENV=production must not exclude the tools.
  const options = [
    '--ignore-scripts',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const npm = spawn('npm', ['ci', ...options], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  try {
    const code = await passThrough(npm);
    if (code !== 0) process.stderr.write(`${whyNpmFails}\n`);
    return code;
  } catch (error) {
    process.stderr.write(`npm cannot be started (${error.code}): install Node.js with npm from https://nodejs.org\n`);
    return 1;
  }
}

const whyNpmFails =
  'npm ci failed, see its message above. The first start needs the package registry: check the network, the proxy ' +
  'and `npm config get registry`, then start again.';
