/** What a command ends with: done, the answer is no, wrong usage, and 128 + the number of the signal that ended it. */
export type ExitCode = 0 | 1 | 2 | 130 | 143;

/** A command cannot go on. The message is one line or more for the person at the terminal: the cause and what to do about it. */
export class CommandError extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: 1 | 2;

  constructor(exitCode: 1 | 2, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The command was called in a way that it does not know: exit 2. */
export function usageError(message: string): CommandError {
  return new CommandError(2, message);
}

/** The command was understood, and the answer is no: exit 1. */
export function commandFailed(message: string): CommandError {
  return new CommandError(1, message);
}

/** A command or flag of the specification that this version does not have: exit 2, so that no script takes it for done. */
export function notSupportedYet(what: string): CommandError {
  return usageError(`${what} is not yet in this version.`);
}
