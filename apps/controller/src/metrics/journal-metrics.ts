import { Counter, Gauge, type Registry } from 'prom-client';
import type { OutageJournal } from '../ledger/outage-journal.ts';

/** Registers what Prometheus sees of the journal of an outage. */
export function registerJournalMetrics(registry: Registry, journal: Pick<OutageJournal, 'counts'>): void {
  const registers = [registry];
  new Gauge({
    name: 'plimsoll_journal_records',
    help: 'Records of the journal that wait for the database.',
    registers,
    collect() {
      this.set(journal.counts.records);
    },
  });
  new Gauge({
    name: 'plimsoll_journal_bytes',
    help: 'Bytes of the records that wait for the database.',
    registers,
    collect() {
      this.set(journal.counts.bytes);
    },
  });
  new Counter({
    name: 'plimsoll_journal_refusals_total',
    help: 'Decisions that neither the database nor the journal took.',
    registers,
    collect() {
      this.reset();
      this.inc(journal.counts.refusals);
    },
  });
}
