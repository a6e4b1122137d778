import type { FileContent } from '../files/tree-file.ts';
import { type Deployer, readDeployers } from './deployers.ts';
import { kindsOfPatch, type Kustomization, readKustomization } from './kustomization.ts';

/** What overlays read in a file. */
export type OverlayRole = 'Kustomization' | 'Deployers' | 'Patch';

/** A file that overlays need to have parsed. */
export interface OverlayFile {
  readonly file: string;
  /** Names the content. */
  readonly blob: string;
  readonly role: OverlayRole;
  readonly bytes: Uint8Array;
}

/** What such a file says: plain data, which may be sent to another thread. */
export type OverlayContent =
  /** Undefined: none, but an object of Flux that bears the name. */
  | { readonly role: 'Kustomization'; readonly value: Kustomization | undefined }
  | { readonly role: 'Deployers'; readonly value: readonly Deployer[] }
  /** The kinds of a patch; undefined where one of them is not known. */
  | { readonly role: 'Patch'; readonly value: readonly string[] | undefined };

/** Parses a file. Never throws, whatever the bytes. */
export function parseOverlayFile({ file, role, bytes }: OverlayFile): OverlayContent {
  switch (role) {
    case 'Kustomization':
      return { role, value: readKustomization(file, { kind: 'Bytes', bytes }) };
    case 'Deployers':
      return { role, value: readDeployers(file, bytes) };
    case 'Patch':
      return { role, value: kindsOfPatch({ file, bytes }) };
  }
}

/** Keeps what overlays read in files between two readings of a tree: an unchanged one is not parsed again. */
export class OverlayCache {
  #kept = new Map<string, Parsed>();
  #used = new Map<string, Parsed>();
  readonly #failed = new Map<string, string>();

  /** Begins a reading; what the one before did not ask for is forgotten, and what failed in it is tried again. */
  begin(): void {
    this.#kept = this.#used;
    this.#used = new Map();
    this.#failed.clear();
  }

  /** Whether reading the file would parse nothing. */
  has(file: Omit<OverlayFile, 'bytes'>): boolean {
    return this.#find(file) !== undefined;
  }

  /** Takes a file that was parsed elsewhere. */
  keep({ file, blob, role }: Omit<OverlayFile, 'bytes'>, content: OverlayContent): void {
    this.#used.set(keyOf(file, role), { blob, content });
  }

  /** Notes that parsing a file was given up; `reason` ends a sentence. */
  fail({ file, role }: Pick<OverlayFile, 'file' | 'role'>, reason: string): void {
    this.#failed.set(keyOf(file, role), reason);
  }

  /** Why the file could not be parsed in this reading. */
  failure({ file, role }: Pick<OverlayFile, 'file' | 'role'>): string | undefined {
    return this.#failed.get(keyOf(file, role));
  }

  /** What a file says, parsed now if it is not known; undefined where that failed. */
  read<Role extends OverlayRole>(
    file: OverlayFile & { readonly role: Role },
  ): Extract<OverlayContent, { role: Role }> | undefined {
    if (this.failure(file) !== undefined) return undefined;
    const content = this.#find(file) ?? parseOverlayFile(file);
    this.keep(file, content);
    return content as Extract<OverlayContent, { role: Role }>;
  }

  #find({ file, blob, role }: Omit<OverlayFile, 'bytes'>): OverlayContent | undefined {
    const key = keyOf(file, role);
    const known = this.#used.get(key) ?? this.#kept.get(key);
    return known?.blob === blob ? known.content : undefined;
  }
}

interface Parsed {
  readonly blob: string;
  readonly content: OverlayContent;
}

function keyOf(file: string, role: OverlayRole): string {
  return `${role} ${file}`;
}

/** A file with its bytes, as overlays ask for it; undefined where it is too large. */
export function overlayFile<Role extends OverlayRole>(
  { path, id }: { readonly path: string; readonly id: string },
  role: Role,
  content: FileContent,
): (OverlayFile & { readonly role: Role }) | undefined {
  return content.kind === 'Bytes' ? { file: path, blob: id, role, bytes: content.bytes } : undefined;
}
