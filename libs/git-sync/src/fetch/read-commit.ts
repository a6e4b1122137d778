import { AdapterError } from '#kernel';
import { bytesMentionPolicyKind, type FilePlace, type PolicyFileSource, unparsedPolicyFile } from '#policy';
import type { ClockPort } from '#reconciliation';
import {
  type DocumentCache,
  type FileContent,
  isYamlPath,
  listIgnoreFiles,
  listOverlayFiles,
  listPatchFiles,
  type OverlayCache,
  type OverlayFile,
  type PolicyFileCache,
  type PolicyFileReader,
  readOverlaysInSteps,
  readRepositoryInSteps,
  type RepositoryDocument,
  type RepositoryReading,
  type SurveyedFile,
  surveyTree,
  type TreeFile,
} from '#repository';
import type { BlobContent, GitRepositoryPort, TreeEntry } from '../ports/git.port.ts';
import type { PolicyParserPort } from '../ports/policy-parser.port.ts';
import { runInTimeSlices } from '../run-in-time-slices.ts';
import type { SourceConfiguration } from '../source-configuration.ts';
import type { ContentCache } from './content-cache.ts';
import { parseFiles } from './parse-files.ts';

/** What a commit is read with. */
export interface CommitReader {
  readonly repository: Pick<GitRepositoryPort, 'loadTree' | 'loadBlobs'>;
  readonly configuration: SourceConfiguration;
  readonly files: PolicyFileCache;
  readonly documents: DocumentCache<RepositoryDocument>;
  readonly overlays: OverlayCache;
  readonly contents: ContentCache;
  readonly filesInForce: ReadonlySet<string>;
  readonly parser: PolicyParserPort;
  /** Lets the loop serve others while files are read. */
  readonly clock: ClockPort;
}

/** A commit's tree, read. */
export interface CommitReading {
  readonly reading: RepositoryReading;
  /** Files that a kustomization lists and that are not there, with the place of the entry. */
  readonly missing: ReadonlyMap<string, FilePlace>;
  readonly content: (path: string) => Uint8Array | undefined;
}

/** Above this a file that is too large is not even looked into for names. */
const maximumScanBytes = 64 * 1024 * 1024;

const decoder = new TextDecoder();

/**
 * Loads a commit's tree and the files that matter, and reads them.
 *
 * @throws AdapterError
 */
export async function readCommit(reader: CommitReader, commit: string): Promise<CommitReading> {
  const { repository, configuration, documents, filesInForce } = reader;
  const options = configuration.repository;
  const entries = await repository.loadTree(commit, maximumTreeFiles(options.limits.files));
  const tree = entries.map(treeFile);
  const wanted = tree.filter((file) => file.type === 'File' && isWanted(file));
  const contents = await loadContents(reader, wanted);
  const content = (file: TreeFile): FileContent => contents.get(file.id) ?? { kind: 'TooLarge' };
  const ignoreFiles = listIgnoreFiles(tree).map((file) => ({ path: file.path, text: textOf(content(file)) }));
  const looking = { tree, content, options, ignoreFiles, filesInForce, cache: reader.overlays };
  reader.overlays.begin();
  await parseOverlays(
    reader,
    await runInTimeSlices(listOverlayFiles(looking), reader.clock, 'sync: listing kustomizations'),
  );
  await parseOverlays(
    reader,
    await runInTimeSlices(listPatchFiles(looking), reader.clock, 'sync: listing patches'),
  );
  const overlays = await runInTimeSlices(
    readOverlaysInSteps(looking),
    reader.clock,
    'sync: following kustomizations',
  );
  const surveyed = await runInTimeSlices(surveyTree(looking), reader.clock, 'sync: surveying the tree');
  const readFile = await parseUnknown(reader, surveyed);
  const steps = readRepositoryInSteps(surveyed, {
    overlays,
    options,
    readFile,
    known: documents,
    filesInForce,
  });
  const reading = await runInTimeSlices(steps, reader.clock, 'sync: reading documents');
  const byPath = new Map(wanted.map((file) => [file.path, file]));
  return {
    reading,
    missing: overlays.missing,
    content: (path) => {
      const file = byPath.get(path);
      const found = file === undefined ? undefined : content(file);
      return found?.kind === 'Bytes' ? found.bytes : undefined;
    },
  };
}

/** Parses the files that are not known yet, and gives a reader that parses nothing more. */
async function parseUnknown(
  { files, parser, clock }: CommitReader,
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
  { overlays, parser, clock }: CommitReader,
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

/** The limit of files is for YAML; a repository may hold many others beside them. */
function maximumTreeFiles(files: number): number {
  return files * 10;
}

function treeFile({ path, id, mode }: TreeEntry): TreeFile {
  if (mode === '120000') return { path, id, type: 'SymbolicLink' };
  return { path, id, type: mode === '160000' ? 'Submodule' : 'File' };
}

/** YAML, ignore files and kustomizations of every name. */
function isWanted({ path }: TreeFile): boolean {
  return isYamlPath(path) || path.endsWith('.plimsollignore') || /(^|\/)Kustomization$/.test(path);
}

async function loadContents(
  { repository, configuration, contents: kept }: CommitReader,
  files: readonly TreeFile[],
): Promise<ReadonlyMap<string, FileContent>> {
  const { fileBytes, files: limit } = configuration.repository.limits;
  if (files.length > limit) throw tooManyFiles(files.length, limit);
  const contents = kept.keep(new Set(files.map(({ id }) => id)));
  const missing = files.map(({ id }) => id).filter((id) => !contents.has(id));
  const limits = { ...configuration.fetchLimits, blobBytes: fileBytes };
  const blobs =
    missing.length === 0
      ? new Map<string, BlobContent>()
      : await repository.loadBlobs(missing, limits).catch((error: unknown) => {
          throw withFileName(error, files);
        });
  for (const [id, blob] of blobs) {
    const content = blob.kind === 'Bytes' ? blob : await lookInto(repository, { id, blob, configuration });
    contents.set(id, content);
    kept.add(id, content);
  }
  return contents;
}

/** A blob's id says nothing to the one who has to repair the repository. */
function withFileName(error: unknown, files: readonly TreeFile[]): unknown {
  if (!(error instanceof AdapterError) || error.code !== 'ObjectMissing') return error;
  const file = files.find(({ id }) => error.message.includes(id));
  if (file === undefined) return error;
  const { code, retryable } = error;
  return new AdapterError({ code, message: `${file.path}: ${error.message}`, retryable, cause: error });
}

interface LargeBlob {
  readonly id: string;
  readonly blob: BlobContent;
  readonly configuration: SourceConfiguration;
}

/** Whether a file that is too large to be read names one of our kinds. */
async function lookInto(repository: CommitReader['repository'], large: LargeBlob): Promise<FileContent> {
  const { id, blob, configuration } = large;
  if (blob.kind === 'TooLarge' && (blob.sizeBytes ?? maximumScanBytes) < maximumScanBytes) {
    const limits = { ...configuration.fetchLimits, blobBytes: maximumScanBytes };
    const whole = (await repository.loadBlobs([id], limits)).get(id);
    if (whole?.kind === 'Bytes')
      return { kind: 'TooLarge', mentionsKind: bytesMentionPolicyKind(whole.bytes) };
  }
  return { kind: 'TooLarge' };
}

function textOf(content: FileContent): string {
  return content.kind === 'Bytes' ? decoder.decode(content.bytes) : '';
}

function tooManyFiles(count: number, limit: number): AdapterError {
  return new AdapterError({
    code: 'TooManyFiles',
    message: `the commit has ${count} YAML files, more than ${limit}`,
    retryable: false,
  });
}
