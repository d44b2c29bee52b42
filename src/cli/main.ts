import { run } from './program.ts';
import { endProcess, processTerminal } from './terminal/terminal.ts';

/**
 * Runs the command line of this process and ends it with the exit code. @param args the arguments after the program's
 * name
 */
export async function main(args: readonly string[]): Promise<void> {
  await endProcess(await run(args, processTerminal()));
}
