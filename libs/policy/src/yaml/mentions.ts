/** Names of our kinds: a file that has one, and cannot be read, is an error. */
const kindNames =
  /HorizontalPodAutoscaler|WatermarkPodAutoscaler|AutoscalingPolicy|PolicyDefaults|PolicyGuardrail|PolicyTest/;

/** Names of our kinds and groups, of the kinds that decide what is taken of a repository, and of those that are noted. */
const anyName = new RegExp(
  [
    kindNames.source,
    'plimsoll\\.dev',
    'autoscaling/',
    'datadoghq\\.com',
    'Kustomization',
    'kustomize\\.config\\.k8s\\.io',
    'kustomize\\.toolkit\\.fluxcd\\.io',
    'argoproj\\.io',
    'kind:\\s*["\']?Application',
    'ScaledObject',
    'ScaledJob',
  ].join('|'),
);

/** Whether text names one of our kinds. */
export function mentionsPolicyKind(text: string): boolean {
  return kindNames.test(text);
}

/**
 * Whether a file is worth parsing: YAML parses at a few MB/s, and most files of a repository are not ours. Bytes that
 * are no UTF-8 are looked at all the same, and so is a pointer into Git LFS, which may stand for a file of ours.
 */
export function mentionsAnything(bytes: Uint8Array): boolean {
  return anyName.test(searchableText(bytes)) || isGitLfsPointer(bytes);
}

/** A pointer has fewer bytes than this. */
const pointerBytes = 1024;

/** Whether a file is what Git LFS leaves in its place: of what it stands for nothing is known. */
export function isGitLfsPointer(bytes: Uint8Array): boolean {
  return bytes.length < pointerBytes && pointerStart.test(new TextDecoder('latin1').decode(bytes));
}

const pointerStart = /^version https:\/\/(?:git-lfs|hawser)\.github\.com\/spec\/v1\r?\n/;

/** As {@link mentionsPolicyKind}, of bytes. */
export function bytesMentionPolicyKind(bytes: Uint8Array): boolean {
  return mentionsPolicyKind(searchableText(bytes));
}

/** Names are ASCII: in UTF-16 and UTF-32 nothing but zeros stands between their letters. */
function searchableText(bytes: Uint8Array): string {
  return new TextDecoder('latin1').decode(bytes).replaceAll('\0', '');
}
