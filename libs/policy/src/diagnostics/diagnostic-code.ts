/** What can be wrong with the text of a file. */
export type ReadingCode =
  | 'AmbiguousScalar'
  | 'DuplicateKey'
  | 'GitLfsPointer'
  | 'InvalidKey'
  | 'InvalidScalar'
  | 'MergeConflict'
  | 'NotUtf8'
  | 'ParsingFailed'
  | 'Syntax'
  | 'TextAfterDocumentEnd'
  | 'TooLarge'
  | 'TooManyAliases'
  | 'TooManyDocuments'
  | 'UnknownTag';

/** What can be wrong with a document's kind and fields. */
export type DocumentCode =
  | 'CrossingBounds'
  | 'DeprecatedVersion'
  | 'DuplicateMetric'
  | 'DuplicateName'
  | 'Forbidden'
  | 'IgnoredValue'
  | 'InvalidQuantity'
  | 'InvalidType'
  | 'InvalidValue'
  | 'NotExpressible'
  | 'NotSupported'
  | 'NullItem'
  | 'OtherAutoscaler'
  | 'OutOfRange'
  | 'Placeholder'
  | 'RemovedVersion'
  | 'Required'
  | 'ServerSetField'
  | 'TooMany'
  | 'TotalOverAllPods'
  | 'UnknownField'
  | 'UnknownKind'
  | 'UnknownResource'
  | 'UnknownTarget'
  | 'UnknownVersion'
  | 'UnlikelyUnit';

/** What a conversion cannot carry over. */
export type ConversionCode = 'NotCarried' | 'NotConvertible';

/** What can be wrong with the files of a repository together, and with a commit beside what is active. */
export type RepositoryCode =
  | 'BreaksTenant'
  | 'CaseCollision'
  | 'ConflictingDefaults'
  | 'DuplicateTarget'
  | 'ForeignResource'
  | 'Guardrail'
  | 'KindChanged'
  | 'KustomizationCycle'
  | 'KustomizationUnreadable'
  | 'MissingResource'
  | 'NamespaceNotAllowed'
  | 'NamespaceNotManaged'
  | 'NeedsRendering'
  | 'NotListed'
  | 'NothingTaken'
  | 'OutsideRepository'
  | 'OutsideTenants'
  | 'Patch'
  | 'PolicyUnreadable'
  | 'Released'
  | 'RemovalUncertain'
  | 'SeveralKustomizations'
  | 'SymbolicLink'
  | 'TenantLimit'
  | 'TooManyFiles';

/** Every code that a diagnostic may have, whichever part of the product finds it. Closed and stable: tools key on it. */
export type DiagnosticCode = ReadingCode | DocumentCode | ConversionCode | RepositoryCode;
