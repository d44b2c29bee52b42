// `serve-with-fast-pings.ts MODEL DATABASE`: serves a model with two workers that are pinged every 0.3 seconds.
import process from 'node:process';
import { serveSettings } from '../../../src/cli/settings.ts';
import { processTerminal } from '../../../src/cli/terminal/terminal.ts';
import { serveWithWorkers } from '../../../src/cli/workers/serve-with-workers.ts';

const [file = '', database = ''] = process.argv.slice(2);
const terminal = processTerminal();
const settings = serveSettings({ port: '0', workers: '2', database }, terminal.env);
process.exitCode = await serveWithWorkers(file, settings, terminal, 300);
