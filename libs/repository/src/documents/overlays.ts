import type { FilePlace } from '#policy';
import type { TenantDiagnostic, UntakenReason } from './repository-reading.ts';

/** What the kustomizations of a tree say about one document. */
export type OverlayEffect =
  | {
      readonly kind: 'Taken';
      /** Whether a kustomization lists it. */
      readonly isListed: boolean;
      /** What `kustomize build` would set; undefined: the document's own counts. */
      readonly namespace?: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly annotations: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'Untaken';
      readonly reason: Exclude<UntakenReason, 'NamespaceNotManaged' | 'Unreadable'>;
      /** Names the kustomization. */
      readonly message: string;
      readonly hint?: string;
    };

/** Why a document is not taken. */
export type UntakenEffect = Extract<OverlayEffect, { kind: 'Untaken' }>;

/** The kustomizations of a tree, read and not rendered. */
export interface Overlays {
  /** Files that a kustomization lists and that are not there, with the place of the entry. */
  readonly missing: ReadonlyMap<string, FilePlace>;
  readonly diagnostics: readonly TenantDiagnostic[];
  /** Files of kustomizations that could not be read whole. */
  readonly unreadable: ReadonlySet<string>;
  /** `own`: the namespace that the document names itself. */
  readonly effectOn: (file: string, own: string | undefined) => OverlayEffect;
}

/** A tree without any. */
export const noOverlays: Overlays = {
  diagnostics: [],
  missing: new Map(),
  unreadable: new Set(),
  effectOn: () => ({ kind: 'Taken', isListed: false, labels: {}, annotations: {} }),
};
