/**
 * Whether a resourceVersion is at least as new as another of the same kind of object. They are decimal numbers of any
 * length; versions of another form count as new enough.
 *
 * @see KEP-5504: resource versions are comparable since Kubernetes 1.35, and were before in every server there is
 */
export function isAtLeast(version: string, other: string): boolean {
  if (!/^\d+$/.test(version) || !/^\d+$/.test(other)) return true;
  return version.length === other.length ? version >= other : version.length > other.length;
}

/** Whether a resourceVersion is newer than another of the same kind of object; of another form, whether it differs. */
export function isLater(version: string, other: string): boolean {
  return version !== other && isAtLeast(version, other);
}
