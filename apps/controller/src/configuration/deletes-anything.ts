import type { Configuration } from '#configuration';

/** Whether a configuration deletes anything from the ledger, now or after a legal hold. */
export function deletesAnything({ retention }: Pick<Configuration, 'retention'>): boolean {
  const { payloadDays, observationDays, kinds } = retention;
  return [payloadDays, observationDays, ...Object.values(kinds)].some((days) => days !== undefined);
}
