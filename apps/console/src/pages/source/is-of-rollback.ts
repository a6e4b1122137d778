/** Whether a rollback holds it: neither an approval nor a rejection ends that. */
export function isOfRollback({ causes }: RollbackCauses): boolean {
  return causes.some(({ code }) => code === 'RolledBack');
}

interface RollbackCauses {
  readonly causes: readonly { readonly code: string }[];
}
