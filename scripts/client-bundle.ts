import path from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './command.ts';

/** The client of APIs (`restwright/client`) as one file, which a page can load as it is. @returns its code, and what it imports */
export async function bundleClient(): Promise<{ readonly code: string; readonly imports: readonly string[] }> {
  const bundle = await rolldown({ input: path.join(root, 'src', 'client', 'client.ts'), platform: 'neutral' });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  const [{ code, imports, dynamicImports }] = output;
  return { code, imports: [...imports, ...dynamicImports] };
}
