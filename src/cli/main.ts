import process from 'node:process';
import { run } from './program.ts';
import { processTerminal } from './terminal.ts';

/** Runs the command line of this process and sets its exit code. @param args what follows the program's name */
export async function main(args: readonly string[]): Promise<void> {
  process.exitCode = await run(args, processTerminal());
}
