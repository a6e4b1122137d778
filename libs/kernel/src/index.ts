export { AdapterError, type AdapterErrorFields } from './adapter-error.ts';
export { assertNever } from './assert-never.ts';
export { canonicalJson } from './canonical-json.ts';
export { isJsonObject, type Json, type JsonObject } from './json.ts';
export { LabelIndex, type Labelled } from './label-index.ts';
export { canonicalSelectorText, type LabelSelectorFields, labelSelectorText } from './label-selector-text.ts';
export {
  type LabelRequirement,
  type LabelRequirements,
  matchesLabels,
  parseLabelSelector,
} from './label-selector.ts';
export { messageOf } from './message-of.ts';
export { err, ok, type Result } from './result.ts';
export {
  addSeconds,
  compareInstants,
  parseInstant,
  toUtcText,
  wholeSecondsBetween,
  type Instant,
} from './instant.ts';
export { formatMilli, parseMilli, toMilli, type Milli } from './milli.ts';
export {
  approximateFloat64,
  MAX_INT64,
  milliValue,
  MIN_INT64,
  parseQuantity,
  type Quantity,
  type QuantityError,
  type QuantityFormat,
} from './quantity.ts';
