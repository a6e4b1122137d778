export { type Configuration, configurationSchema } from './configuration.schema.ts';
export { type ConfigurationErrors, configurationErrorText } from './configuration-errors.ts';
export { type WebhookProvider, webhookProviders } from './forge.schema.ts';
export type { NamedText } from './parse-yaml.ts';
export {
  type ConfigurationInput,
  maximumConfigurationBytes,
  readConfiguration,
  readSharedConfiguration,
} from './read-configuration.ts';
export { listServiceLinks, listSettings, type Setting } from './read-environment.ts';
export { readSourceOptions, type SourceOverrides } from './read-source-options.ts';
export { changedSettings, isReloadable } from './setting-changes.ts';
export type { SourceSettings } from './source.schema.ts';
export { readContext, sourceConfiguration } from './source-configuration.ts';
export { wantOf } from './want-of.ts';
