import path from 'node:path';
import process from 'node:process';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** The server of an API that `vite` forwards requests to. */
const API = process.env['RESTWRIGHT'] ?? 'http://127.0.0.1:3000';

/** The `config.json` of a development server; a build has none, because the API serves it. */
const DEV_CONFIG = {
  api: '/api',
  openapi: '/openapi.json',
  ready: '/readyz',
  metrics: null,
  name: 'development',
  title: 'Development',
  issuer: null,
  client_id: null,
  scopes: [],
  paste: true,
  release: '0.0.0',
};

function serveConfig(): Plugin {
  return {
    name: 'dev-config',
    apply: 'serve',
    configureServer: ({ middlewares }) => {
      middlewares.use('/console/config.json', (_request, response) => {
        response.setHeader('Content-Type', 'application/json');
        response.end(JSON.stringify(DEV_CONFIG));
      });
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  // Relative URLs: any prefix and any proxy works.
  base: './',
  plugins: [react(), serveConfig()],
  resolve: { alias: { 'restwright/client': path.join(import.meta.dirname, '../src/client/client.ts') } },
  build: {
    outDir: 'dist',
    // The page is `/console`, and its files lie in `/console/`.
    assetsDir: 'console',
    target: 'es2023',
    // The content security policy allows no data: scripts, fonts or styles.
    assetsInlineLimit: 0,
    modulePreload: false,
  },
  server: {
    proxy: Object.fromEntries(['/api', '/openapi.json', '/readyz', '/livez', '/metrics'].map((each) => [each, API])),
  },
});
