import { join } from 'node:path';
import { defineConfig } from 'vite';

const libs = join(import.meta.dirname, '../../libs');

/** Built by `npm run build` (scripts/build-console.js); there is no server of its own. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  oxc: { jsx: { runtime: 'automatic' } },
  // Pure libs are imported from their sources, by the subpaths of package.json.
  resolve: {
    alias: [
      { find: /^#([a-z-]+)$/, replacement: `${libs}/$1/src/index.ts` },
      { find: /^#decision\/condition-message$/, replacement: `${libs}/decision/src/condition-message.ts` },
      { find: /^#decision\/request-unit$/, replacement: `${libs}/decision/src/request-unit.ts` },
      { find: /^#ledger\/verification$/, replacement: `${libs}/ledger/src/verification.ts` },
    ],
  },
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    sourcemap: false,
    reportCompressedSize: false,
    // "use client" says something to servers that render React, and this is none.
    rolldownOptions: {
      // A pure lib's module does nothing when it is loaded: a page gets those that it uses, not all of the index's.
      treeshake: { moduleSideEffects: [{ test: /\/libs\/[^/]+\/src\//, sideEffects: false }] },
      onLog: (level, log, report) => void (log.code === 'MODULE_LEVEL_DIRECTIVE' || report(level, log)),
    },
  },
});
