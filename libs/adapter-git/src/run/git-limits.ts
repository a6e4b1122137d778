/** A local command that reads what is on disk already: slower means a broken disk. */
export const localTimeoutMilliseconds = 60_000;

/** Enough for the tree of 50,000 files with long paths. */
export const maximumTreeBytes = 64 * 1024 * 1024;

/** Messages are shown to people; what is longer is cut. */
export const maximumMessageBytes = 64 * 1024;

/** A commit object with headers, signature and message. */
export const maximumCommitBytes = 1024 * 1024;

/** Answers that are one line or none. */
export const maximumLineBytes = 64 * 1024;

/** Blobs travel from git to us in pieces of at most this: what is in memory twice for a moment. */
export const maximumBatchBytes = 32 * 1024 * 1024;

/** One batch of missing blobs may bring at most this; more is fetched in halves. */
export const maximumBlobFetchBytes = 512 * 1024 * 1024;

/** How often the folder of a running fetch is measured against its limit. */
export const sizePollMilliseconds = 200;

/** A lock is held for milliseconds, and a running fetch writes all the time: what is older was left by a git that was killed. */
export const leftoverAgeMilliseconds = 60_000;

/** What of git's own complaint is kept in an error. */
export const maximumComplaintCharacters = 400;

/** How long a git that was asked to end may take; a child of its own that hangs would keep the pipe open for ever. */
export const stopGraceMilliseconds = 2_000;

/** A GitHub App's token lives for an hour; a new one is made this long before its end. */
export const appTokenMarginMilliseconds = 5 * 60_000;

/** A forge's API answers in well under a second. */
export const apiTimeoutMilliseconds = 10_000;

/** A token's answer is a few hundred bytes. */
export const maximumApiBytes = 64 * 1024;

/** A key or token file is a few kB; anything longer is another file. */
export const maximumSecretBytes = 64 * 1024;

/** Of the files that say whom to trust: a bundle of every public authority has 250 kB, known hosts can be many. */
export const maximumTrustBytes = 16 * 1024 * 1024;

/** More packs than this are rolled into one: each fetch leaves one or two. */
export const maximumPacks = 50;

/** Rolling packs of a large history into one copies them. */
export const compactTimeoutMilliseconds = 5 * 60_000;

/**
 * The address space of a git process that reads or unpacks files. It counts what is mapped, not what is used, so it is well
 * above what git needs for files of a policy repository; a delta that expands beyond it fails.
 */
export const maximumGitMemoryBytes = 512 * 1024 * 1024;

/** The same where a history is fetched, listed or packed: a million commits take some 600 MB. */
export const maximumHistoryMemoryBytes = 1024 * 1024 * 1024;

/** Files from this size on are copied in pieces and never in memory whole, unless they are deltas. */
export const bigFileBytes = 1024 * 1024;

/** What git may write to standard error; it is kept in memory. */
export const maximumErrorOutputBytes = 256 * 1024;
