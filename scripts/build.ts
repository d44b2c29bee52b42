// `npm run build`: src/ as JavaScript and type declarations in dist/, which is made anew.
import { rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { root, tool } from './command.ts';

rmSync(path.join(root, 'dist'), { recursive: true, force: true });
process.exitCode = tool('tsc', ['-p', 'tsconfig.build.json']) ? 0 : 1;
