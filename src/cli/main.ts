// The way in. What most starts are (the terminal, and the listener under a service manager) is reached without loading the argument
// parser, and neither of them loads the other's part.
import { refuseToStart } from './refuse-to-start.ts'

const [command, ...rest] = process.argv.slice(2)

async function start(): Promise<void> {
  if (command === undefined) {
    const { startInteractive } = await import('../app/interactive.ts')
    return startInteractive({ strict: false, json: false })
  }
  if (command === 'listen' && rest.length === 0) {
    const { startHeadless } = await import('../app/headless.ts')
    return startHeadless()
  }
  const { runProgram } = await import('./program.ts')
  return runProgram(process.argv)
}

start().catch(refuseToStart)
