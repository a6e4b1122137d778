import { AdapterError } from '#kernel';
import { bytesMentionPolicyKind, type FilePlace } from '#policy';
import type { ClockPort } from '#reconciliation';
import {
  type DocumentCache,
  type FileContent,
  isReadPath,
  listIgnoreFiles,
  type OverlayCache,
  type PolicyFileCache,
  type RepositoryDocument,
  type RepositoryReading,
  type TreeFile,
} from '#repository';
import type { BlobContent, GitRepositoryPort, TreeEntry } from '../ports/git.port.ts';
import type { PolicyParserPort } from '../ports/policy-parser.port.ts';
import type { SourceConfiguration } from '../setup/source-configuration.ts';
import type { ContentCache } from './content-cache.ts';
import { readTree } from './read-tree.ts';

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
  const { repository, configuration } = reader;
  const options = configuration.repository;
  const entries = await repository
    .loadTree(commit, maximumTreeFiles(options.limits.files))
    .catch(withSetting);
  const tree = entries.map(treeFile);
  const wanted = tree.filter((file) => file.type === 'File' && isReadPath(file.path));
  const contents = await loadContents(reader, wanted);
  // Taking in what Git sent is one step.
  await reader.clock.nextTurn();
  const content = (file: TreeFile): FileContent => contents.get(file.id) ?? { kind: 'TooLarge' };
  const ignoreFiles = listIgnoreFiles(tree).map((file) => ({ path: file.path, text: textOf(content(file)) }));
  const { reading, missing } = await readTree({ ...reader, tree, content, options, ignoreFiles });
  const byPath = new Map(wanted.map((file) => [file.path, file]));
  return {
    reading,
    missing,
    content: (path) => {
      const file = byPath.get(path);
      const found = file === undefined ? undefined : content(file);
      return found?.kind === 'Bytes' ? found.bytes : undefined;
    },
  };
}

const setting = 'limits.files of the source allows';

/** The limit of files is for YAML; a repository may hold many others beside them. */
function maximumTreeFiles(files: number): number {
  return files * 10;
}

function withSetting(error: unknown): never {
  if (!(error instanceof AdapterError) || error.code !== 'TooManyFiles') throw error;
  const { code, message, retryable } = error;
  throw new AdapterError({ code, message: `${message}: ten times what ${setting}`, retryable, cause: error });
}

function treeFile({ path, id, mode }: TreeEntry): TreeFile {
  if (mode === '120000') return { path, id, type: 'SymbolicLink' };
  return { path, id, type: mode === '160000' ? 'Submodule' : 'File' };
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
    if (whole?.kind === 'Bytes') return { ...blob, mentionsKind: bytesMentionPolicyKind(whole.bytes) };
  }
  return blob.kind === 'TooLarge' ? blob : { kind: 'TooLarge' };
}

function textOf(content: FileContent): string {
  return content.kind === 'Bytes' ? decoder.decode(content.bytes) : '';
}

function tooManyFiles(count: number, limit: number): AdapterError {
  return new AdapterError({
    code: 'TooManyFiles',
    message: `the commit has ${count} YAML files, more than ${limit}: what ${setting}`,
    retryable: false,
  });
}
