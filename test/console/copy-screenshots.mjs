// Copies the pictures that docs/console.md shows from those that the last `npm run test:console` made.
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Add a page's picture here. */
const shown = [
  'fleet.usual.light',
  'fleet-suspend.usual.light',
  'tv.usual.dark',
  'interventions.usual.light',
  'login.usual.light',
  'sources.usual.light',
  'palette.usual.light',
  'source-held.usual.light',
  'revision-held.usual.light',
  'revision-rejected.usual.light',
  'policy-chart.usual.light',
  'decision.usual.light',
  'decision-what-if.usual.light',
  'reports.usual.light',
  'controller-replicas.usual.light',
  'audit-verified.usual.light',
  'entry-OperatorAction.usual.light',
  'playground.usual.light',
  'playground-run.usual.light',
];

const root = join(import.meta.dirname, '../..');
await mkdir(join(root, 'docs/console'), { recursive: true });
for (const name of shown)
  await copyFile(join(root, `dist/console-screenshots/${name}.png`), join(root, `docs/console/${name}.png`));
