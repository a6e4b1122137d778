export { canonicalJson } from './json/canonical-json.ts';
export { isJsonObject, type Json, type JsonObject } from './json/json.ts';
export { type JsonDifference, jsonDifferences } from './json/json-differences.ts';
export { type JsonItemsOptions, JsonItemSplitter } from './json/json-item-splitter.ts';
export { type JsonPath, jsonText, parseJsonPath, valuesAt } from './json/json-path.ts';
export { parseJsonList } from './json/parse-json-list.ts';
export { shareParts } from './json/share-parts.ts';
export { withoutUndefined } from './json/without-undefined.ts';
export { LabelIndex, type Labelled } from './objects/label-index.ts';
export {
  canonicalSelectorText,
  type LabelSelectorFields,
  labelSelectorText,
} from './objects/label-selector-text.ts';
export { isNamespacePattern, matchesNamespace } from './objects/namespace-pattern.ts';
export { apiGroupOf, type NamespacedName, namespacedName } from './objects/object-names.ts';
export {
  type LabelRequirement,
  type LabelRequirements,
  labelSelectorFault,
  parseLabelSelector,
} from './objects/parse-label-selector.ts';
export { AdapterError, type AdapterErrorFields } from './outcomes/adapter-error.ts';
export { codeOf } from './outcomes/code-of.ts';
export { databaseCondition } from './outcomes/database-condition.ts';
export { fileFault } from './outcomes/file-fault.ts';
export { messageOf } from './outcomes/message-of.ts';
export { err, ok, type Result } from './outcomes/result.ts';
export { actorName } from './texts/actor-name.ts';
export { counted } from './texts/counted.ts';
export { cutText } from './texts/cut-text.ts';
export { escapeControls } from './texts/escape-controls.ts';
export { nameSome } from './texts/name-some.ts';
export { numberRanges } from './texts/number-ranges.ts';
export { redactCredentials } from './texts/redact-credentials.ts';
export { shortHash } from './texts/short-hash.ts';
export { shortText } from './texts/short-text.ts';
export { spreadOf } from './texts/spread-of.ts';
export { TextPool } from './texts/text-pool.ts';
export { withoutTrailing } from './texts/without-trailing.ts';
export {
  addSeconds,
  compareInstants,
  type Instant,
  parseInstant,
  toMillisecondText,
  toUtcText,
  wholeSecondsBetween,
} from './values/instant.ts';
export { formatMilli, type Milli, parseMilli, toMilli } from './values/milli.ts';
export {
  approximateFloat64,
  maxInt64,
  milliValue,
  minInt64,
  parseQuantity,
  type Quantity,
  type QuantityError,
  type QuantityFormat,
} from './values/quantity.ts';
export { PendingTable } from './work/pending-table.ts';
export {
  filterInSteps,
  mapInSteps,
  runInTimeSlices,
  type SliceClock,
  sliceMilliseconds,
  sortInSteps,
} from './work/run-in-time-slices.ts';
export { runSteps } from './work/run-steps.ts';
export { Semaphore } from './work/semaphore.ts';
export { UnderWay } from './work/under-way.ts';
export { late, type WaitClock, withinTime } from './work/within-time.ts';
