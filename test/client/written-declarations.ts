import path from 'node:path';
import { run } from '../../src/cli/program.ts';
import { recordedTerminal } from '../cli/recorded-terminal.ts';

/**
 * Declarations that `restwright client` wrote, and its arguments: of a newest contract in TypeScript and in YAML, and
 * of the oldest.
 */
export const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  'shop.ts': ['shop-model.ts'],
  'stock.ts': ['stock.yaml'],
  'versioned-1-0.ts': ['versioned-model.ts', '--api-version', '1.0'],
};

/** Runs `restwright client` and returns its output, with the client of this checkout in place of the package. */
export async function printed([model = '', ...options]: readonly string[]): Promise<string> {
  const terminal = recordedTerminal();
  await run(['client', path.join(import.meta.dirname, 'declarations', model), ...options], terminal);
  const { stdout, stderr } = terminal.written();
  return stderr + stdout.replace("'restwright/client'", "'../../../src/client/client.ts'");
}
