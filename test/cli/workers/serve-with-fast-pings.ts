// `serve-with-fast-pings.ts MODEL DATABASE`: serves a model with two workers that are pinged every 0.3 seconds.
import process from 'node:process';
import { announce } from '../../../src/cli/serve/announce.ts';
import type { ServedModel } from '../../../src/cli/serve/serve-model.ts';
import { logStyle, type ServerLog } from '../../../src/cli/serve/server-log.ts';
import { serveSettings } from '../../../src/cli/settings.ts';
import { processTerminal } from '../../../src/cli/terminal/terminal.ts';
import { serveWithWorkers } from '../../../src/cli/workers/serve-with-workers.ts';

const [file = '', database = ''] = process.argv.slice(2);
const terminal = processTerminal();
const settings = serveSettings({ port: '0', workers: '2', database }, terminal.env);
const log = logStyle(settings, terminal);
const onListening = (served: ServedModel, serverLog: ServerLog): void => announce(served, serverLog, terminal, false);
process.exitCode = await serveWithWorkers({ file, settings, log, terminal, pingInterval: 300, onListening });
