import { mentionsAnything, type PolicyFileSource } from '#policy';
import { hasTooManyRules, type IgnoreFile, isIgnoreFile } from './ignore-rules.ts';
import type { RepositoryOptions } from './repository-options.ts';
import { isYamlPath, type LeftOutReason, selectFiles } from './select-files.ts';
import type { FileContent, TreeFile } from './tree-file.ts';

const decoder = new TextDecoder();

/** A tree and how to look into it. Pure: all content is at hand. */
export interface SurveyInput {
  readonly tree: readonly TreeFile[];
  readonly content: (file: TreeFile) => FileContent;
  readonly ignoreFiles: readonly IgnoreFile[];
  readonly options: RepositoryOptions;
  /** Files that contain a document in force: they are always parsed. */
  readonly filesInForce: ReadonlySet<string>;
}

/** What becomes of a file, before anything is parsed. */
export type SurveyedFile = { readonly file: TreeFile } & (
  | { readonly kind: 'LeftOut'; readonly reason: LeftOutReason }
  /** It contains no name of ours. */
  | { readonly kind: 'Other' }
  | {
      readonly kind: 'TooLarge';
      /** Whether it names one of our kinds, or contained a policy in force. */
      readonly isOurs: boolean;
      /** Undefined where it is not known. */
      readonly sizeBytes?: number;
    }
  /** What it leaves out is not known whole. */
  | { readonly kind: 'UnreadableIgnoreFile' }
  | { readonly kind: 'Wanted'; readonly source: PolicyFileSource }
);

/** Says of every file that is not read why, and what the others are to be parsed with; one file per step. */
export function* surveyTree(input: SurveyInput): Generator<void, readonly SurveyedFile[], void> {
  const select = selectFiles(input.tree, input.options, input.ignoreFiles);
  const surveyed: SurveyedFile[] = [];
  for (const file of input.tree) {
    if (isUnreadableIgnoreFile(input, file)) surveyed.push({ file, kind: 'UnreadableIgnoreFile' });
    const reason = select(file);
    if (reason === undefined) surveyed.push(look(input, file));
    else if (isNamedAsYaml(file.path) || file.type !== 'File')
      surveyed.push({ file, kind: 'LeftOut', reason });
    yield;
  }
  return surveyed;
}

/** Whether a person takes the file for YAML: a `.YML` is reported as left out, since nothing reads it. */
function isNamedAsYaml(path: string): boolean {
  return isYamlPath(path.toLowerCase());
}

function isUnreadableIgnoreFile({ content }: SurveyInput, file: TreeFile): boolean {
  if (file.type !== 'File' || !isIgnoreFile(file.path)) return false;
  const found = content(file);
  return found.kind === 'TooLarge' || hasTooManyRules(decoder.decode(found.bytes));
}

function look({ content, filesInForce, options: { limits } }: SurveyInput, file: TreeFile): SurveyedFile {
  const found = content(file);
  const isInForce = filesInForce.has(file.path);
  if (found.kind === 'TooLarge') return { ...found, file, isOurs: isInForce || found.mentionsKind === true };
  if (!isInForce && !mentionsAnything(found.bytes)) return { file, kind: 'Other' };
  const { fileBytes, aliasExpansions, documentsPerFile: documents } = limits;
  return {
    file,
    kind: 'Wanted',
    source: {
      file: file.path,
      bytes: found.bytes,
      limits: { fileBytes, aliasExpansions, documents },
      isInForce,
    },
  };
}
