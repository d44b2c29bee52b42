import { documentSchema } from '../../model/document/document-schema.ts';
import type { ExitCode } from '../command-error.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Prints the JSON Schema of model documents, for editors and validators. */
export function schema({ stdout }: Terminal): ExitCode {
  stdout.write(`${JSON.stringify(documentSchema, null, 2)}\n`);
  return 0;
}
