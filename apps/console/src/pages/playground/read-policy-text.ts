import type { Json } from '#kernel';
import {
  type Diagnostic,
  type EffectivePolicy,
  plainJson,
  readPolicyDocument,
  readPolicyFile,
} from '#policy';

/** A policy as it was typed, read by the parser of the controller. */
export interface PolicyText {
  /** Undefined: nothing can be decided with it; the diagnostics say why. */
  readonly policy: EffectivePolicy | undefined;
  /** The document as JSON; undefined with the policy. */
  readonly document: Json | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

const file = 'policy.yaml';

/** Reads the first policy of a text, and says everything that is wrong with it. */
export function readPolicyText(text: string): PolicyText {
  const read = readPolicyFile({ file, bytes: new TextEncoder().encode(text), isInForce: true });
  const first = read.documents.find(({ identity }) => identity.kind === 'policy');
  if (first === undefined) {
    const found = [...read.diagnostics, ...read.documents.flatMap(({ diagnostics }) => diagnostics)];
    return { policy: undefined, document: undefined, diagnostics: found.length > 0 ? found : [noPolicy] };
  }
  const { policy, diagnostics } = readPolicyDocument(first);
  const all = [...read.diagnostics, ...diagnostics];
  return policy === undefined || read.diagnostics.length > 0
    ? { policy: undefined, document: undefined, diagnostics: all }
    : { policy, document: plainJson(first.value), diagnostics: all };
}

const noPolicy: Diagnostic = {
  severity: 'error',
  code: 'UnknownKind',
  message: 'there is no policy here',
  hint: 'begin with apiVersion: plimsoll.dev/v1alpha1 and kind: AutoscalingPolicy',
  path: [],
  file,
  line: 1,
  column: 1,
};
