import { canonicalJson, isJsonObject, type Json } from '#kernel';
import type { Configuration } from './configuration.schema.ts';
import { listSettings } from './read-environment.ts';

/** Settings, and sections of them, that a running controller applies; every other one takes a restart. */
const reloadable: readonly string[] = [
  'mode',
  'strictNamespaces',
  'sources',
  'prometheusServers',
  'recommenderHosts',
  'recommenderTlsFolder',
  'auth.tokens',
  'settings',
  'interventions',
  'fleetBrake',
  'reports.schedules',
  'log.level',
];

/** Whether a running controller applies a change of the setting (`log.level`) without a restart. */
export function isReloadable(setting: string): boolean {
  return reloadable.some((name) => setting === name || setting.startsWith(`${name}.`));
}

/** The settings in which two configurations differ, in the schema's order; a list is one setting. */
export function changedSettings(before: Configuration, after: Configuration): readonly string[] {
  return listSettings()
    .filter(({ path }) => textOf(before, path) !== textOf(after, path))
    .map(({ path }) => path.join('.'));
}

function textOf(configuration: Configuration, path: readonly string[]): string {
  let value: unknown = configuration;
  for (const key of path) value = isJsonObject(value) ? value[key] : undefined;
  return value === undefined ? '' : canonicalJson(JSON.parse(JSON.stringify(value)) as Json);
}
