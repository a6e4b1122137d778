import { runInTimeSlices, type SliceClock } from '#kernel';
import { type FilePlace, type PolicyFileSource, unparsedPolicyFile } from '#policy';
import {
  type DocumentCache,
  type FileContent,
  type IgnoreFile,
  listOverlayFiles,
  listPatchFiles,
  type OverlayCache,
  type OverlayFile,
  type PolicyFileCache,
  type PolicyFileReader,
  readOverlaysInSteps,
  readRepositoryInSteps,
  type RepositoryDocument,
  type RepositoryOptions,
  type RepositoryReading,
  type SurveyedFile,
  surveyTree,
  type TreeFile,
} from '#repository';
import type { PolicyParserPort } from '../ports/policy-parser.port.ts';
import { parseFiles } from './parse-files.ts';

/** A tree of files, and what it is read with. */
export interface TreeInput {
  readonly tree: readonly TreeFile[];
  readonly content: (file: TreeFile) => FileContent;
  readonly ignoreFiles: readonly IgnoreFile[];
  readonly options: RepositoryOptions;
  /** Files that contain a document in force: they are always parsed. */
  readonly filesInForce: ReadonlySet<string>;
  /** What the files of an earlier tree came to; a new one, where there was none. */
  readonly files: PolicyFileCache;
  readonly overlays: OverlayCache;
  readonly documents: DocumentCache<RepositoryDocument>;
  readonly parser: PolicyParserPort;
  /** Lets the loop serve others while files are read. */
  readonly clock: SliceClock;
}

/** A tree, read. */
export interface TreeReading {
  readonly reading: RepositoryReading;
  /** Files that a kustomization lists and that are not there, with the place of the entry. */
  readonly missing: ReadonlyMap<string, FilePlace>;
}

/**
 * Reads the files of a tree that matter, each of them parsed by the parser: a file that takes too long or too much
 * memory is a diagnostic of its own, and the others are read.
 *
 * @throws AdapterError where the parser is closed or busy
 */
export async function readTree(input: TreeInput): Promise<TreeReading> {
  const { clock, options, documents: known, filesInForce } = input;
  const looking = { ...input, cache: input.overlays };
  input.overlays.begin();
  await parseOverlays(
    input,
    await runInTimeSlices(listOverlayFiles(looking), clock, 'sync: listing kustomizations'),
  );
  await parseOverlays(input, await runInTimeSlices(listPatchFiles(looking), clock, 'sync: listing patches'));
  const overlays = await runInTimeSlices(
    readOverlaysInSteps(looking),
    clock,
    'sync: following kustomizations',
  );
  const surveyed = await runInTimeSlices(surveyTree(input), clock, 'sync: surveying the tree');
  const readFile = await parseUnknown(input, surveyed);
  const steps = readRepositoryInSteps(surveyed, { overlays, options, readFile, known, filesInForce });
  const reading = await runInTimeSlices(steps, clock, 'sync: reading documents');
  return { reading, missing: overlays.missing };
}

/** Parses the files that are not known yet, and gives a reader that parses nothing more. */
async function parseUnknown(
  { files, parser, clock }: TreeInput,
  surveyed: readonly SurveyedFile[],
): Promise<PolicyFileReader> {
  const readFile = files.begin();
  const unknown = new Map<string, PolicyFileSource>();
  const blobs = new Map<string, string>();
  for (const each of surveyed) {
    if (each.kind !== 'Wanted' || files.has(each.source, each.file.id)) continue;
    unknown.set(each.file.path, each.source);
    blobs.set(each.file.path, each.file.id);
  }
  const failed = await parseFiles([...unknown.values()], {
    parse: (batch) => parser.parse(batch),
    batchesAtOnce: parser.batchesAtOnce,
    clock,
    onParsed: (file, source) => files.keep(source, blobs.get(source.file) ?? '', file),
  });
  const unread = new Map(
    failed.map(({ source, reason }) => [source.file, unparsedPolicyFile(source, reason)]),
  );
  return (source, blob) => unread.get(source.file) ?? readFile(source, blob);
}

/** Parses what kustomizations, patches, Flux and Argo CD say, for the reading that follows. */
async function parseOverlays(
  { overlays, parser, clock }: TreeInput,
  unknown: readonly OverlayFile[],
): Promise<void> {
  const failed = await parseFiles(unknown, {
    parse: (batch) => parser.parseOverlays(batch),
    batchesAtOnce: parser.batchesAtOnce,
    clock,
    onParsed: (content, file) => overlays.keep(file, content),
  });
  for (const { source, reason } of failed) overlays.fail(source, reason);
}
