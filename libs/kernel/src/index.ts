export { actorName } from './actor-name.ts';
export { AdapterError, type AdapterErrorFields } from './adapter-error.ts';
export { canonicalJson } from './canonical-json.ts';
export { codeOf } from './code-of.ts';
export { counted } from './counted.ts';
export { databaseCondition } from './database-condition.ts';
export { escapeControls } from './escape-controls.ts';
export { fileFault } from './file-fault.ts';
export {
  addSeconds,
  compareInstants,
  type Instant,
  parseInstant,
  toMillisecondText,
  toUtcText,
  wholeSecondsBetween,
} from './instant.ts';
export { isJsonObject, type Json, type JsonObject } from './json.ts';
export { type JsonDifference, jsonDifferences } from './json-differences.ts';
export { type JsonItemsOptions, JsonItemSplitter } from './json-item-splitter.ts';
export { type JsonPath, jsonText, parseJsonPath, valuesAt } from './json-path.ts';
export { LabelIndex, type Labelled } from './label-index.ts';
export { canonicalSelectorText, type LabelSelectorFields, labelSelectorText } from './label-selector-text.ts';
export { messageOf } from './message-of.ts';
export { formatMilli, type Milli, parseMilli, toMilli } from './milli.ts';
export { nameSome } from './name-some.ts';
export { isNamespacePattern, matchesNamespace } from './namespace-pattern.ts';
export { numberRanges } from './number-ranges.ts';
export { apiGroupOf, type NamespacedName, namespacedName } from './object-names.ts';
export { parseJsonList } from './parse-json-list.ts';
export {
  type LabelRequirement,
  type LabelRequirements,
  labelSelectorFault,
  parseLabelSelector,
} from './parse-label-selector.ts';
export { PendingTable } from './pending-table.ts';
export {
  approximateFloat64,
  maxInt64,
  milliValue,
  minInt64,
  parseQuantity,
  type Quantity,
  type QuantityError,
  type QuantityFormat,
} from './quantity.ts';
export { redactCredentials } from './redact-credentials.ts';
export { err, ok, type Result } from './result.ts';
export {
  filterInSteps,
  mapInSteps,
  runInTimeSlices,
  type SliceClock,
  sliceMilliseconds,
  sortInSteps,
} from './run-in-time-slices.ts';
export { runSteps } from './run-steps.ts';
export { Semaphore } from './semaphore.ts';
export { shareParts } from './share-parts.ts';
export { shortHash } from './short-hash.ts';
export { spreadOf } from './spread-of.ts';
export { TextPool } from './text-pool.ts';
export { UnderWay } from './under-way.ts';
export { late, type WaitClock, withinTime } from './within-time.ts';
export { withoutTrailing } from './without-trailing.ts';
export { withoutUndefined } from './without-undefined.ts';
