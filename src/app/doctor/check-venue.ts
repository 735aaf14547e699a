// Asks a venue, as `account check` does.
import { randomUUID } from 'node:crypto'
import { defined } from '../../base/defined.ts'
import type { CommandData } from '../../commands/kit/data.ts'
import { App } from '../app.ts'
import { quietEvents } from '../quiet-events.ts'
import type { VenueFacts } from './facts.ts'

export async function checkVenue(env: NodeJS.ProcessEnv, account: string): Promise<VenueFacts> {
  // What is taken out of the environment is needed for the next account.
  const app = new App({ env: { ...env }, listen: 'none', events: quietEvents })
  let facts: VenueFacts = { account }
  app.runner.addSink({
    output(_run, _kind, _text, data) {
      const said = data as CommandData | undefined
      if (said?.type !== 'account-check') return
      const { latencyMs, clockDifferenceMs } = said
      facts = { account, latencyMs, ...defined({ clockDifferenceMs }) }
    },
  })
  try {
    await app.start()
    const command = `account check ${account}`
    const { success, error } = await app.runner.run({ runId: randomUUID(), source: 'exec', command })
    return success ? facts : { ...facts, error: error ?? 'it could not be asked' }
  } finally {
    await app.stop(0)
  }
}
