import { err, ok, type Result } from '#kernel';
import type { LedgerWriter } from '#ledger';
import type { JournalPort, JournalRefusal, JournalRequest } from './journal.port.ts';

/** A journal in memory, which takes nothing until a test opens it, and is replayed when a test says so. */
export class FakeJournal implements JournalPort {
  isOpen = false;
  readonly requests: JournalRequest[] = [];

  get isInUse(): boolean {
    return this.requests.length > 0;
  }

  record(request: JournalRequest): Promise<Result<undefined, JournalRefusal>> {
    if (!this.isOpen) return Promise.resolve(err({ code: 'JournalFull', message: 'the journal is full' }));
    this.requests.push(request);
    return Promise.resolve(ok(undefined));
  }

  /** Appends all requests to the ledger. */
  async replay(writer: LedgerWriter): Promise<void> {
    for (let [request] = this.requests; request !== undefined; [request] = this.requests) {
      const appended = await writer.append({ drafts: request.drafts, states: request.states });
      if (!appended.ok) throw new Error(`replay: ${appended.error.code}`);
      request.onReplayed(appended.value);
      this.requests.shift();
    }
  }
}
