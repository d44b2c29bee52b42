// The entry of the single executable: unpacks the program that it carries, once for each build, and runs it.
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const { createRequire } = require('node:module');
const os = require('node:os');
const path = require('node:path');
const process = require('node:process');
const sea = require('node:sea');
const { zstdDecompressSync } = require('node:zlib');

const PRIVATE = 0o700;
/** Set for the workers of a process that could not write to a cache: they use its folder. */
const FOLDER = 'RESTWRIGHT_EXECUTABLE_FOLDER';

// An addon cannot be loaded from an executable: SQLite is that of Node.js.
process.env['RESTWRIGHT_DRIVER'] ??= 'node';

const packed = Buffer.from(sea.getRawAsset('program'));
const home = findProgram();
const [, , first = ''] = process.argv;
// A worker is started as `node FILE`: an executable gets the file as its first argument.
const isWorker = first === path.join(home, 'dist', 'worker-entry.js');
if (isWorker) process.argv.splice(1, 1);
createRequire(path.join(home, 'package.json'))(isWorker ? first : './dist/main.js')
  .main?.(process.argv.slice(2))
  .catch((error) => {
    process.stderr.write(`${error?.stack ?? error}\n`);
    process.exitCode = 70;
  });

/** The folder with the program: in the cache of this user, else one of this process. */
function findProgram() {
  const given = process.env[FOLDER];
  if (given !== undefined && fs.existsSync(path.join(given, 'package.json'))) return given;
  const cache = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
  const name = createHash('sha256').update(packed).digest('hex').slice(0, 32);
  try {
    return unpackOnce(path.join(cache, 'restwright'), name);
  } catch {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'restwright-'));
    process.env[FOLDER] = folder;
    process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
    unpack(folder);
    return folder;
  }
}

/** Unpacks the program next to its place, and moves it there whole: several processes may do so at once. */
function unpackOnce(cache, name) {
  fs.mkdirSync(cache, { recursive: true, mode: PRIVATE });
  const owner = fs.statSync(cache);
  if (process.getuid !== undefined && (owner.uid !== process.getuid() || (owner.mode & 0o022) !== 0))
    throw new Error(`others may write to ${cache}`);
  const folder = path.join(cache, name);
  if (fs.existsSync(folder)) return folder;
  const part = fs.mkdtempSync(path.join(cache, 'part-'));
  try {
    unpack(part);
    fs.renameSync(part, folder);
  } catch (error) {
    fs.rmSync(part, { recursive: true, force: true });
    if (!fs.existsSync(folder)) throw error;
  }
  return folder;
}

function unpack(folder) {
  const files = JSON.parse(zstdDecompressSync(packed).toString());
  for (const [file, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true, mode: PRIVATE });
    fs.writeFileSync(path.join(folder, file), text);
  }
}
