import type { Alias, Node, YAMLMap, YAMLSeq } from 'yaml';
import type { Finding } from '../reading/place.ts';
import { maximumProblems } from '../reading/problem-list.ts';
import { setOwn } from '../reading/set-own.ts';
import { showValue } from '../reading/show-value.ts';
import { maximumAliasedValues, maximumDepth } from './limits.ts';
import { keyValue, scalarValue } from './scalar-value.ts';
import {
  entriesOf,
  type Entry,
  isAlias,
  isMap,
  isMergeKey,
  isScalar,
  isSeq,
  isTaggedMergeKey,
  itemsOf,
  type TreeNode,
  type YamlTree,
} from './yaml-tree.ts';

/** A finding at a node. */
export interface NodeFinding {
  readonly finding: Finding;
  readonly node: Node;
  readonly path: readonly (string | number)[];
}

/** What to leave out, and how much to expand. */
export interface ValueRules {
  /** Keys of the root that are not read. */
  readonly skip: ReadonlySet<string>;
  readonly aliasExpansions: number;
}

interface Anchored {
  readonly value: unknown;
  readonly expansions: number;
  /** It and all that is in it, aliases written out. */
  readonly values: number;
}

/**
 * Turns a syntax tree into a JSON value (a whole number that a float cannot hold is a bigint), as kubectl would, and
 * reports where kubectl and YAML differ. What an alias stands for is read once and shared, so a bomb costs nothing.
 */
export class ValueReader {
  readonly findings: NodeFinding[] = [];
  readonly #tree: YamlTree;
  readonly #rules: ValueRules;
  readonly #lineOf: (node: Node) => number;
  readonly #path: (string | number)[] = [];
  readonly #anchored = new Map<TreeNode, Anchored>();
  readonly #open = new Set<TreeNode>();
  #expansions = 0;
  #values = 0;
  #aliasedValues = 0;

  constructor(tree: YamlTree, rules: ValueRules, lineOf: (node: Node) => number) {
    this.#tree = tree;
    this.#rules = rules;
    this.#lineOf = lineOf;
  }

  /** The value of a document's root. */
  readRoot(root: TreeNode): unknown {
    return isMap(root) ? this.#readMap(root, this.#rules.skip) : this.#read(root);
  }

  #read(node: Node): unknown {
    if (isAlias(node)) return this.#readAlias(node);
    if (node.anchor === undefined) return this.#readPlain(node);
    return this.#readAnchored(node).value;
  }

  #readAnchored(node: TreeNode): Anchored {
    const known = this.#anchored.get(node);
    if (known !== undefined) return known;
    const [expansions, values] = [this.#expansions, this.#values];
    this.#open.add(node);
    const value = this.#readPlain(node);
    this.#open.delete(node);
    const anchored = {
      value,
      expansions: this.#expansions - expansions,
      values: this.#values - values,
    };
    this.#anchored.set(node, anchored);
    return anchored;
  }

  #readAlias(alias: Alias): unknown {
    const target = this.#tree.resolve(alias);
    if (target === undefined) {
      this.#refuse(alias, `no anchor &${alias.source} comes before this alias`);
      return;
    }
    if (this.#open.has(target)) {
      this.#refuse(alias, `the anchor &${alias.source} contains itself`);
      return;
    }
    const isKnown = this.#anchored.has(target);
    const { value, expansions, values } = this.#readAnchored(target);
    this.#expansions += 1 + (isKnown ? expansions : 0);
    this.#values += isKnown ? values : 0;
    this.#aliasedValues += values;
    return this.#isTooMuch(alias) ? undefined : value;
  }

  /** Few aliases of something large are a bomb, too. */
  #isTooMuch(alias: Alias): boolean {
    const { aliasExpansions } = this.#rules;
    const isTooMany = this.#expansions > aliasExpansions;
    if (!isTooMany && this.#aliasedValues <= maximumAliasedValues) return false;
    if (!this.findings.some(({ finding }) => finding.code === 'TooManyAliases')) {
      const what = isTooMany ? String(aliasExpansions) : `${maximumAliasedValues} values`;
      const message = `aliases expand to more than ${what}`;
      this.#report(alias, {
        code: 'TooManyAliases',
        message,
        hint: isTooMany
          ? 'write the values out, or raise limits.aliasExpansions of the source'
          : 'write the values out',
      });
    }
    return true;
  }

  #refuse(node: Node, message: string): undefined {
    this.#report(node, { code: 'Syntax', message });
    return undefined;
  }

  #readPlain(node: TreeNode): unknown {
    this.#values += 1;
    if (this.#path.length > maximumDepth) {
      this.#refuse(node, `nested more than ${maximumDepth} deep`);
      return;
    }
    if (isMap(node)) return this.#readMap(node);
    if (isSeq(node)) return this.#readList(node);
    if (!isScalar(node)) return undefined;
    const { value, finding } = scalarValue(node);
    if (finding !== undefined) this.#report(node, finding);
    return value;
  }

  #readList(list: YAMLSeq): unknown[] {
    return itemsOf(list.items).map((item, index) => this.#at(index, () => this.#read(item)));
  }

  #readMap(map: YAMLMap, skip?: ReadonlySet<string>): Record<string, unknown> {
    const value: Record<string, unknown> = {};
    const own = new Map<string, Node>();
    let merged: Record<string, unknown> | undefined;
    for (const entry of entriesOf(map)) {
      const isMerge = isMergeKey(entry.key);
      const key = isMerge ? '<<' : this.#readKey(entry.key);
      if (key === undefined) continue;
      const first = own.get(key);
      if (first === undefined) own.set(key, entry.key);
      else this.#report(entry.key, duplicateKey(key, [first, entry.key].map(this.#lineOf)));
      if (isMerge) {
        merged = this.#merge(entry, value, merged);
      } else if (skip?.has(key) !== true) {
        setOwn(
          value,
          key,
          this.#at(key, () => this.#readValue(entry.value)),
        );
      }
    }
    return value;
  }

  #readValue(node: Node | undefined): unknown {
    return node === undefined ? null : this.#read(node);
  }

  /** A key's text; a collection and null are no keys. */
  #readKey(key: Node): string | undefined {
    const node = this.#tree.resolve(key);
    const read = node !== undefined && isScalar(node) ? keyValue(node) : undefined;
    if (isTaggedMergeKey(key)) this.#report(key, taggedMerge);
    if (read?.finding !== undefined) this.#report(key, read.finding);
    if (read !== undefined && read.value !== null) return String(read.value);
    this.#report(key, read === undefined ? collectionKey : nullKey);
    return undefined;
  }

  /** Adds what `<<` merges in: of a list of maps the first that has a key; a key that stands before it conflicts. */
  #merge(
    entry: Entry,
    into: Record<string, unknown>,
    before: Record<string, unknown> | undefined,
  ): Record<string, unknown> {
    const added: Record<string, unknown> = { ...before };
    for (const source of this.#mergeSources(entry)) {
      for (const [key, value] of Object.entries(source)) {
        if (Object.hasOwn(added, key)) continue;
        if (Object.hasOwn(into, key)) this.#report(entry.key, mergeConflict(key));
        setOwn(added, key, value);
        setOwn(into, key, value);
      }
    }
    return added;
  }

  #mergeSources(entry: Entry): readonly Record<string, unknown>[] {
    const node = this.#tree.resolve(entry.value);
    const isWrittenList = node !== undefined && isSeq(node) && !isAlias(entry.value);
    const sources = isWrittenList ? itemsOf(node.items) : [entry.value];
    return sources.flatMap((source) => {
      const target = this.#tree.resolve(source);
      if (source === undefined || target === undefined || !isMap(target)) {
        this.#report(entry.key, {
          code: 'InvalidKey',
          message: '<< must be followed by a map or a list of maps',
        });
        return [];
      }
      const value = this.#at('<<', () => this.#read(source));
      return isRecord(value) ? [value] : [];
    });
  }

  #at<T>(key: string | number, read: () => T): T {
    this.#path.push(key);
    const value = read();
    this.#path.pop();
    return value;
  }

  #report(node: Node, finding: Finding): void {
    if (this.findings.length > maximumProblems) return;
    const isLast = this.findings.length === maximumProblems;
    this.findings.push({ finding: isLast ? tooManyFindings : finding, node, path: [...this.#path] });
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const tooManyFindings: Finding = {
  code: 'TooMany',
  message: `the document has more than ${maximumProblems} problems, of which the rest is not reported`,
};

const nullKey: Finding = { code: 'InvalidKey', message: 'null is no key' };
const collectionKey: Finding = {
  code: 'InvalidKey',
  message: 'a collection is no key',
  hint: 'a template that is not rendered reads so: commit the rendered manifest',
};

const taggedMerge: Finding = {
  code: 'InvalidKey',
  message: '<< with a tag merges to one reader, and is a name to another',
  hint: 'leave the tag out',
};

/** @param lines where it stands, from 1 */
export function duplicateKey(key: string, lines: readonly number[]): Finding {
  const [first = 0, second = first] = lines;
  const where = first === second ? `twice on line ${first}` : `on line ${first} and again on line ${second}`;
  return {
    code: 'DuplicateKey',
    message: `the key ${showValue(key)} stands ${where}`,
    hint: 'kubectl would keep the last, in silence: leave one of the two out',
  };
}

function mergeConflict(key: string): Finding {
  const message = `${showValue(key)} stands before << and is merged in by it`;
  return { code: 'MergeConflict', message, hint: 'write it after <<, where both readers let it win' };
}
