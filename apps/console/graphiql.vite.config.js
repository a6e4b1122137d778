import { mergeConfig } from 'vite';
import common from './vite.config.js';

/** GraphiQL is a build of its own, so that nothing of it is in what the console loads. */
export default mergeConfig(common, {
  base: '/graphiql/',
  publicDir: false,
  build: {
    outDir: '../../dist/console/graphiql',
    // GraphiQL comes as one module.
    chunkSizeWarningLimit: 1_500,
    rolldownOptions: { input: 'graphiql.html', checks: { pluginTimings: false } },
  },
  plugins: [withoutFonts(), withoutStyleElements()],
});

/** Its fonts are 360 kB of `data:` in the style sheet, which the Content-Security-Policy refuses; graphiql.css names others. */
function withoutFonts() {
  return {
    name: 'without-fonts',
    enforce: 'pre',
    transform: {
      filter: { id: /\/graphiql\/dist\/style\.css$/ },
      handler: (text) => text.replaceAll(/@font-face\s*\{[^}]*\}/g, ''),
    },
  };
}

/** What keeps the page from scrolling behind a dialog adds a style element, which is refused; the page does not scroll. */
function withoutStyleElements() {
  const name = 'react-style-singleton';
  return {
    name: 'without-style-elements',
    enforce: 'pre',
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load: (id) => (id === `\0${name}` ? 'export const styleSingleton = () => () => null;' : undefined),
  };
}
