import type { KubeObject } from '../api/kube-object.ts';

/** Receives what an informer reads. */
export interface ObjectSink {
  /** A full list begins; what is not put before `endList` does not exist any more. */
  readonly beginList: () => void;
  /** An object as it is now; its metadata and body are not kept by the informer. */
  readonly put: (object: KubeObject) => void;
  readonly remove: (object: KubeObject) => void;
  readonly endList: () => void;
}
