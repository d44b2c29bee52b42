// `npm run build:console`: builds the console into console/dist/, or into the folder that is named.
import path from 'node:path';
import process from 'node:process';
import { buildConsole, root } from './command.ts';

buildConsole(path.resolve(process.argv[2] ?? path.join(root, 'console', 'dist')));
