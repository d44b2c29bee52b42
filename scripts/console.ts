// `npm run build:console`: builds the console into console/dist/, or into the folder that is named.
import path from 'node:path';
import process from 'node:process';
import { root, run } from './command.ts';

const sources = path.join(root, 'console');
const dist = path.resolve(process.argv[2] ?? path.join(sources, 'dist'));

process.exitCode = run('npm', ['run', 'build', '--', '--outDir', dist, '--emptyOutDir'], sources) ? 0 : 1;
