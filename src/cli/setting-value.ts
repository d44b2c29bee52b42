import { readFileSync } from 'node:fs';
import { describeFileError, usageError } from './command-error.ts';

/** Environment variables by name. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** A setting that may come from a flag, an environment variable or a default, in this order of precedence. */
export interface SettingSource {
  readonly flag: string;
  readonly variable: string;
  readonly fallback: string;
}

/** The value of a setting. */
export interface SettingValue {
  readonly text: string;
  /** The flag or variable that it comes from, for messages. */
  readonly origin: string;
}

/** An empty variable counts as unset: shells and container files leave a variable out this way. */
export function settingValue(source: SettingSource, flag: string | undefined, env: EnvironmentVariables): SettingValue {
  if (flag !== undefined) return { text: flag, origin: source.flag };
  const text = env[source.variable] ?? '';
  return text === '' ? { text: source.fallback, origin: source.flag } : { text, origin: source.variable };
}

/** Reads the file that a setting names. @throws {CommandError} exit 2 where it cannot be read */
export function readSettingFile({ text: file, origin }: SettingValue): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw usageError(`${origin}: ${describeFileError(error)}`);
  }
}
