import type { Finding } from '../reading/place.ts';
import { mentionsPolicyKind } from '../yaml/mentions.ts';
import type { YamlDocument } from '../yaml/yaml-document.ts';
import type { Position } from '../yaml/yaml-tree.ts';
import { readHeader } from './document-header.ts';

/** What is wrong with the root of a document, and where. */
interface RootFinding {
  readonly finding: Finding;
  readonly place: Position;
}

/**
 * Finds what a document is that is no map and holds one of ours all the same: kubectl refuses it, and here it would be dropped in
 * silence.
 *
 * @returns null: it is a map, or holds nothing of ours
 */
export function findBrokenRoot(document: YamlDocument): RootFinding | null {
  const first = document.rootItems()?.find(isOfUs);
  if (first !== undefined) return { finding: bareList, place: first.start };
  return isTextOfUs(document.text([]) ?? '') ? { finding: bareText, place: document.start } : null;
}

const bareList: Finding = {
  code: 'Syntax',
  message: 'the documents are items of a list, which is not read',
  hint: 'separate them by lines of ---, or write them as the items of a kind: List',
};

const bareText: Finding = {
  code: 'Syntax',
  message: 'the document is a text, which is not read',
  hint: 'look at what stands before its first key',
};

/** Whether a text may have been meant for a document of ours; of a space before JSON that is none to YAML is said already. */
function isTextOfUs(text: string): boolean {
  return mentionsPolicyKind(text) && /\bapiVersion\b/.test(text) && !/^[^\S \t\r\n]\s*\{/.test(text);
}

/** Whether an item is a document of ours, and not a reference to one. */
function isOfUs(item: YamlDocument): boolean {
  const { kind } = readHeader(item).identity;
  return (kind === 'policy' || kind === 'support') && item.occurrences('metadata') > 0;
}
