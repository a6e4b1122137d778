import { SimulationClock } from '../clock/simulation-clock.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../simulator.ts';
import { demoScenario } from './demo-scenario.ts';

/** The demo's pods have been there for an hour: nothing of them is still starting. */
const ageSeconds = 3600;

/**
 * Starts the simulator with the demo's cluster. The cluster is built an hour ago on a clock that is moved by hand,
 * then the clock follows the wall and the loads begin.
 */
export async function startDemo(options: Omit<SimulatorOptions, 'clock'> = {}): Promise<Simulator> {
  const clock = SimulationClock.manual(Date.now() - ageSeconds * 1000);
  const simulator = await startSimulator({ ...options, clock });
  demoScenario(simulator);
  simulator.runPending();
  clock.advance(ageSeconds * 1000);
  clock.followWall();
  simulator.load.restart();
  return simulator;
}
