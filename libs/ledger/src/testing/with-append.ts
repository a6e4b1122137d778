import type { LedgerPort } from '../ports/ledger.port.ts';

/** A ledger's port whose appends go another way. */
export function withAppend(port: LedgerPort, append: LedgerPort['append']): LedgerPort {
  return {
    append,
    heads: (streams) => port.heads(streams),
    listHeads: (page) => port.listHeads(page),
    entry: (address, reading) => port.entry(address, reading),
    newestEntry: (query) => port.newestEntry(query),
    entriesAt: (addresses, reading) => port.entriesAt(addresses, reading),
    entries: (query) => port.entries(query),
    entryPages: (queries) => port.entryPages(queries),
    decisionSummaries: (queries) => port.decisionSummaries(queries),
    decisionSummariesAt: (addresses) => port.decisionSummariesAt(addresses),
    streamEntries: (page) => port.streamEntries(page),
    entriesAfter: (query) => port.entriesAfter(query),
    pendingIntents: (page) => port.pendingIntents(page),
    recordedPolicies: (page) => port.recordedPolicies(page),
    policyStates: (policies) => port.policyStates(policies),
    latestDecisions: (policies) => port.latestDecisions(policies),
    policyConditions: (policies) => port.policyConditions(policies),
    interventions: (page) => port.interventions(page),
    journalPlace: (id) => port.journalPlace(id),
  };
}
