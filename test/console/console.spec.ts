// The console in a real browser, against the built controller with the demo's cluster: `npm run test:console` builds and
// runs it alone. One controller and one browser serve the tasks of all pages, each in a module of its own.
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { approvalTasks } from './pages/approval-tasks.ts';
import { auditTasks } from './pages/audit-tasks.ts';
import { blameTasks } from './pages/blame-tasks.ts';
import { changeTasks } from './pages/change-tasks.ts';
import { chartTasks } from './pages/chart-tasks.ts';
import { controllerTasks } from './pages/controller-tasks.ts';
import { dialogTasks } from './pages/dialog-tasks.ts';
import { evaluationTasks } from './pages/evaluation-tasks.ts';
import { failureTasks } from './pages/failure-tasks.ts';
import { firstRunTasks } from './pages/first-run-tasks.ts';
import { fleetTasks } from './pages/fleet-tasks.ts';
import { graphiqlTasks } from './pages/graphiql-tasks.ts';
import { interventionTasks } from './pages/intervention-tasks.ts';
import { keyboardTasks } from './pages/keyboard-tasks.ts';
import { loadingTasks } from './pages/loading-tasks.ts';
import { loginTasks } from './pages/login-tasks.ts';
import { openidTasks } from './pages/openid-tasks.ts';
import { outageTasks } from './pages/outage-tasks.ts';
import { playgroundTasks } from './pages/playground-tasks.ts';
import { policyTasks } from './pages/policy-tasks.ts';
import { reportsTasks } from './pages/reports-tasks.ts';
import { sessionTasks } from './pages/session-tasks.ts';
import { sourcesTasks } from './pages/sources-tasks.ts';
import { stateTasks } from './pages/state-tasks.ts';
import { tenantTasks } from './pages/tenant-tasks.ts';
import { wallTasks } from './pages/wall-tasks.ts';
import { type AConsole, aConsole } from './support/a-console.ts';
import { browserPath } from './support/browser-path.ts';

// Above what a page waits for a state, several times over.
jest.setTimeout(300_000);

/** Add a page's tasks here, and a file beside theirs. */
const pages: Readonly<Record<string, (world: () => AConsole) => void>> = {
  'signing in': loginTasks,
  fleet: fleetTasks,
  loading: loadingTasks,
  'keys and the palette': keyboardTasks,
  sessions: sessionTasks,
  'a wall screen': wallTasks,
  interventions: interventionTasks,
  'dialogs of actions': dialogTasks,
  failures: failureTasks,
  outages: outageTasks,
  controller: controllerTasks,
  policies: policyTasks,
  states: stateTasks,
  charts: chartTasks,
  evaluation: evaluationTasks,
  playground: playgroundTasks,
  sources: sourcesTasks,
  changes: changeTasks,
  audit: auditTasks,
  reports: reportsTasks,
  'a tenant': tenantTasks,
  GraphiQL: graphiqlTasks,
  // Each goes on with what the one before has left of the other controller.
  'a first run': firstRunTasks,
  blame: blameTasks,
  approvals: approvalTasks,
  OpenID: openidTasks,
};

if (browserPath === undefined && process.env['CI'] === undefined) {
  it('is left out: no chromium is installed (apt-get install chromium)', () => {
    expect(browserPath).toBeUndefined();
  });
} else {
  describe('the console', () => {
    let world: AConsole;
    beforeAll(async () => {
      world = await aConsole();
    });
    afterEach(async () => {
      await world.closePages();
      world.assertNoComplaints();
    });
    // Undefined where it could not start.
    afterAll(async () => (world as AConsole | undefined)?.close());

    for (const [name, tasks] of Object.entries(pages)) describe(name, () => tasks(() => world));
  });
}
