/** The field manager of Plimsoll's own writes. */
export const plimsollManager = 'plimsoll';

/**
 * Field managers that appear on an object beside those that wrote it, only so that its version becomes a former one. They
 * never change what it says, and are no writers of it.
 */
export const versionManagers = ['plimsoll-version-1', 'plimsoll-version-2'] as const;

/** Whether a field manager is one of {@link versionManagers}. */
export function isVersionManager(manager: string): boolean {
  return versionManagers.some((own) => own === manager);
}
