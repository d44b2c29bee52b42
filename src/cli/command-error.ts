/**
 * The exit code of a command: success, failure, incorrect usage, or 128 plus the number of the signal that stopped it.
 */
export type ExitCode = 0 | 1 | 2 | 130 | 143;

/** Ends a command. The message is printed for the user and states the cause and the fix; it may have several lines. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: 1 | 2;

  constructor(exitCode: 1 | 2, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Invalid arguments or settings: exit code 2. */
export function usageError(message: string): CommandError {
  return new CommandError(2, message);
}

/** The command failed: exit code 1. */
export function commandFailed(message: string): CommandError {
  return new CommandError(1, message);
}

/**
 * A command or flag of the specification that is not implemented yet: exit code 2, so that no script mistakes it for
 * success.
 */
export function notSupportedYet(feature: string): CommandError {
  return usageError(`${feature} is not supported by this version.`);
}

/** A short description of an error of the file system. */
export function describeFileError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
      return 'no such file.';
    case 'EISDIR':
      return 'it is a directory.';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied.';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
