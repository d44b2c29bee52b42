import { documentSchema } from '../../model/document/document-schema.ts';
import type { ExitCode } from '../command-error.ts';
import type { CommandSpec } from '../command-spec.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Prints the JSON Schema of model documents, for editors and validators. */
function schema({ stdout }: Terminal): ExitCode {
  stdout.write(`${JSON.stringify(documentSchema, null, 2)}\n`);
  return 0;
}

export const schemaSpec: CommandSpec = {
  name: 'schema',
  group: 'Models:',
  summary: 'print the JSON Schema of model documents',
  description: 'Prints the JSON Schema of model documents. Editors use it for completion and validation.',
  arguments: [],
  options: [],
  notes: `Examples:
  restwright schema > restwright.schema.json
`,
  run: (_given, _flags, terminal) => schema(terminal),
};
