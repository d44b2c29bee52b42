import { defineConfig } from 'orval';

export default defineConfig({
  library: {
    input: 'openapi-json.json',
    output: {
      target: 'orval/api.ts',
      client: 'fetch',
      baseUrl: { runtime: 'ORIGIN', imports: [{ name: 'ORIGIN', importPath: '../scenario.js' }] },
    },
  },
});
