import type { NativeAutoscaler } from '../ports/native-autoscalers.port.ts';

/** A boring HPA of somebody else, on the Deployment `checkout`. */
export function aNativeAutoscaler(changes: Partial<NativeAutoscaler> = {}): NativeAutoscaler {
  const name = changes.name ?? 'checkout';
  return {
    name,
    uid: `uid-of-${name}`,
    resourceVersion: '1',
    target: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' },
    selector: null,
    manager: 'helm',
    editor: 'helm',
    statusManager: null,
    policy: null,
    until: null,
    isWrittenByPlimsoll: false,
    terminatingSince: null,
    finalizers: [],
    ownerUid: null,
    digest: 'digest',
    specDigest: 'spec-digest',
    status: null,
    ...changes,
  };
}
