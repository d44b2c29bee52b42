// `npm run format`: lays every file out as the check wants it.
import process from 'node:process';
import { tool } from './command.ts';

process.exitCode = tool('biome', ['format', '--write', '.']) ? 0 : 1;
