import {
  type ControllerProcess,
  startControllerProcess,
  type StartOptions,
} from '../../e2e/support/controller-process.ts';

/** As `scripts/pinned-runtime.js` has them. */
const allocatorSettings = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/** Thousands of policies, on a machine that others use as well. */
const timeoutMilliseconds = 300_000;

/** Starts the built controller as its launcher runs it. */
export function startLaunched(
  folder: string,
  configuration: object,
  until: StartOptions['until'] & string,
): Promise<ControllerProcess> {
  const flags = process.env['CONTROLLER_NODE_OPTIONS'] ?? '';
  const environment = { NODE_OPTIONS: `--max-semi-space-size=8 ${flags}`, ...allocatorSettings };
  return startControllerProcess(folder, configuration, { until, environment, timeoutMilliseconds });
}
