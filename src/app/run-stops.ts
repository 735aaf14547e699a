import type { RunStops } from '../commands/kit/ports.ts'
import type { Runner } from '../runtime/runner.ts'

/** @param runner made after the ports are */
export function runStops(runner: () => Pick<Runner, 'stop' | 'panic' | 'spare'>): RunStops {
  return {
    stop: (matches) => runner().stop(matches, 'stopped: runs stop'),
    panic: (saidIn) => runner().panic(saidIn),
    spare: (runId) => runner().spare(runId),
  }
}
