import type { RunStops } from '../commands/kit/ports.ts'
import type { Runner } from '../runtime/runner.ts'
import type { StopStore } from '../stores/stops.ts'

/** @param runner made after the ports are */
export function runStops(
  runner: () => Pick<Runner, 'stop' | 'panic' | 'spare'>,
  stops: Pick<StopStore, 'say'>,
): RunStops {
  return {
    async say(scope, saidIn) {
      const said = stops.say(scope)
      const stopped = runner().panic(saidIn)
      await said
      return stopped
    },
    stop: (matches) => runner().stop(matches, 'stopped: runs stop'),
    panic: (saidIn) => runner().panic(saidIn),
    spare: (runId) => runner().spare(runId),
  }
}
