/**
 * What can be wrong with a policy document. Closed and stable: tools key on it.
 *
 * - Reading: `Syntax`, `AmbiguousScalar`, `DuplicateKey`, `InvalidKey`, `InvalidScalar`, `MergeConflict`, `TooManyAliases`,
 *   `TooManyDocuments`, `TooLarge`, `NotUtf8`, `TextAfterDocumentEnd`, `UnknownTag`.
 * - Kinds: `UnknownKind`, `UnknownVersion`, `RemovedVersion`, `DeprecatedVersion` (warning).
 * - Fields: the rest. `ServerSetField`, `IgnoredValue`, `CrossingBounds` and `TotalOverAllPods` are warnings.
 */
export type ProblemCode =
  | 'AmbiguousScalar'
  | 'CrossingBounds'
  | 'DeprecatedVersion'
  | 'DuplicateKey'
  | 'DuplicateName'
  | 'Forbidden'
  | 'IgnoredValue'
  | 'InvalidKey'
  | 'InvalidQuantity'
  | 'InvalidScalar'
  | 'InvalidType'
  | 'InvalidValue'
  | 'MergeConflict'
  | 'NotExpressible'
  | 'NotSupported'
  | 'NotUtf8'
  | 'NullItem'
  | 'OutOfRange'
  | 'Placeholder'
  | 'RemovedVersion'
  | 'Required'
  | 'ServerSetField'
  | 'Syntax'
  | 'TextAfterDocumentEnd'
  | 'TooLarge'
  | 'TooMany'
  | 'TooManyAliases'
  | 'TooManyDocuments'
  | 'TotalOverAllPods'
  | 'UnknownField'
  | 'UnknownKind'
  | 'UnknownTag'
  | 'UnknownVersion';
