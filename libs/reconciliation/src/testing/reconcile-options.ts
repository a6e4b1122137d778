import { defaultSettings } from '#decision';
import type { ReconcileOptions } from '../pass/pass.ts';

/** Boring options: everything is managed and carried out, and first passes are not spread. */
export const reconcileOptions: ReconcileOptions = {
  mode: 'Act',
  settings: defaultSettings,
  namespaces: ['*'],
  concurrency: 4,
  passTimeoutMilliseconds: 30_000,
  metricsTimeoutMilliseconds: 20_000,
  jitterPercent: 0,
  seed: '',
};
