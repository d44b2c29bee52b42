import path from 'node:path';
import { run } from '../../src/cli/program.ts';
import { recordedTerminal } from '../cli/recorded-terminal.ts';

/** The files in declarations/ that `restwright client` wrote, and what it was called with. */
export const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  'shop.ts': ['shop-model.ts'],
  'stock.ts': ['stock.yaml'],
  'stock-2-0.ts': ['stock.yaml', '--api-version', '2.0'],
  'versioned.ts': ['versioned-model.ts'],
  'versioned-2-9.ts': ['versioned-model.ts', '--api-version', '2.9'],
  'versioned-1.ts': ['versioned-model.ts', '--api-version', '1'],
  'versioned-1-0.ts': ['versioned-model.ts', '--api-version', '1.0'],
  'stock-1.ts': ['stock.yaml', '--api-version', '1'],
};

/** The output of `restwright client`, with the client of this checkout in place of the package. */
export async function printed([model = '', ...options]: readonly string[]): Promise<string> {
  const terminal = recordedTerminal();
  await run(['client', path.join(import.meta.dirname, 'declarations', model), ...options], terminal);
  const { stdout, stderr } = terminal.written();
  return stderr + stdout.replace("'restwright/client'", "'../../../src/client/client.ts'");
}
