import { Counter, type Registry } from 'prom-client';
import type { RequestGate } from '../auth/gate/request-gate.ts';
import type { AuthenticationFailures } from '../auth/limits/authentication-failures.ts';
import type { RequestRates } from '../auth/limits/request-rates.ts';

interface Requests {
  readonly failures: Pick<AuthenticationFailures, 'counts'>;
  readonly gate: Pick<RequestGate, 'anonymousRequests'>;
  readonly rates: Pick<RequestRates, 'limited'>;
}

/** Registers the requests that were not answered as they asked to be, since the start. */
export function registerRequestMetrics(registry: Registry, { failures, gate, rates }: Requests): void {
  new Counter({
    name: 'plimsoll_limited_requests_total',
    help: 'Requests beyond the rate of their caller or their address.',
    labelNames: ['limit'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [limit, count] of rates.limited) this.inc({ limit }, count);
    },
  });
  new Counter({
    name: 'plimsoll_authentication_failures_total',
    help: 'Requests with a token or a session that does not hold, by what was done about them.',
    labelNames: ['treatment'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [treatment, count] of failures.counts) this.inc({ treatment }, count);
    },
  });
  new Counter({
    name: 'plimsoll_anonymous_requests_total',
    help: 'Requests that were refused since they brought neither a token nor a session.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(gate.anonymousRequests);
    },
  });
}
