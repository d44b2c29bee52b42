import path from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './command.ts';

/**
 * The exports of the package that run without Node.js: their files in dist/ and entry modules. A page can load each as
 * it is.
 */
export const WEB_ENTRIES = { client: 'client.ts', webhooks: 'verify-webhook.ts' } as const;

/** An export of the package for programs that use an API. @returns its code, and what it imports */
export async function bundleClient(
  entry: keyof typeof WEB_ENTRIES,
): Promise<{ readonly code: string; readonly imports: readonly string[] }> {
  const bundle = await rolldown({
    input: path.join(root, 'src', 'client', WEB_ENTRIES[entry]),
    platform: 'neutral',
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  const [{ code, imports, dynamicImports }] = output;
  return { code, imports: [...imports, ...dynamicImports] };
}
