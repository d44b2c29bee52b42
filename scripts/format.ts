// `npm run format`: formats every file.
import process from 'node:process';
import { tool } from './command.ts';

process.exitCode = tool('biome', ['format', '--write', '.']) ? 0 : 1;
