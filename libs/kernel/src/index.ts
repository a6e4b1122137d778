export { AdapterError, type AdapterErrorFields } from './adapter-error.ts';
export { assertNever } from './assert-never.ts';
export { canonicalJson } from './canonical-json.ts';
export { isJsonObject, type Json, type JsonObject } from './json.ts';
export {
  type LabelRequirement,
  type LabelRequirements,
  matchesLabels,
  parseLabelSelector,
} from './label-selector.ts';
export { err, ok, type Result } from './result.ts';
