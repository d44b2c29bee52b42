import { defineConfig } from 'orval';
import { jsonOnly } from './json-only.ts';

export default defineConfig({
  library: {
    input: { target: 'openapi.json', override: { transformer: jsonOnly } },
    output: {
      target: 'orval/api.ts',
      client: 'fetch',
      baseUrl: { runtime: 'ORIGIN', imports: [{ name: 'ORIGIN', importPath: '../scenario.js' }] },
    },
  },
});
