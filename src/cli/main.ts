// The way in. What most starts are (the terminal, the listener under a service manager, and `exec` with its line) is reached without
// loading the argument parser, and none of them loads another's part.
import { ignoreBrokenPipe } from '../app/this-process.ts'
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
  const [line] = rest
  if (command === 'exec' && rest.length === 1 && line !== undefined && isLine(line)) {
    ignoreBrokenPipe()
    const { runOneShot } = await import('./one-shot.ts')
    process.exitCode = await runOneShot(line, { json: false })
    return
  }
  const { runProgram } = await import('./program.ts')
  return runProgram(process.argv)
}

/** Neither an option nor blank, about which the parser has something to say. */
function isLine(text: string): boolean {
  return !text.startsWith('-') && text.trim() !== ''
}

start().catch(refuseToStart)
