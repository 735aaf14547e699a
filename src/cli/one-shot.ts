// `hookline exec`: one line, run as if typed, then the process ends. As JSON it prints one object per line of output and a last one
// with the result.
import { randomUUID } from 'node:crypto'
import { App } from '../app/app.ts'
import { quietEvents } from '../app/app-events.ts'
import { createExecTerminal } from '../app/exec-terminal.ts'
import { describePaperRests } from '../app/paper-rests.ts'
import { EXIT_CODE, onStopSignal } from '../app/this-process.ts'
import { defined } from '../base/defined.ts'
import type { OrderData } from '../commands/kit/data.ts'
import type { OutputKind, RunData, RunSink } from '../runs/run.ts'
import { createJsonPrinter } from '../terminal/json-printer.ts'
import { mayColour, renderLines } from '../terminal/render.ts'

interface OneShotOptions {
  readonly account?: string
  readonly symbol?: string
  readonly json: boolean
}

/** @returns the exit code: 1 when a step failed */
export async function runOneShot(command: string, options: OneShotOptions): Promise<number> {
  const terminal = createExecTerminal({
    openInput: () => process.stdin,
    questions: process.stderr,
    columns: () => (process.stdout.isTTY && !options.json ? process.stdout.columns || undefined : undefined),
    ...(process.stdout.isTTY && !options.json && process.env.TERM !== 'dumb'
      ? { screen: { output: process.stdout, coloured: mayColour(process.stdout, process.env) } }
      : {}),
  })
  const app = new App({ env: process.env, listen: 'none', events: quietEvents, terminal: () => terminal })
  app.runner.addSink(options.json ? createJsonPrinter(writeLine).sink : textSink())
  const rests = noteResting(app)
  onStopSignal(() => app.runner.interrupt(({ source }) => source === 'exec'))
  await app.start()
  const { account, symbol } = options
  const result = await app.runner.run({
    runId: randomUUID(),
    source: 'exec',
    command,
    isFromShell: true,
    ...defined({ account, symbol: symbol?.toUpperCase() }),
  })
  if (rests.some && !options.json) {
    const note = await describePaperRests(app, account ?? app.ports.focus.account())
    if (note !== undefined) process.stderr.write(`${note}\n`)
  }
  terminal.close()
  await app.stop(0)
  return result.success ? EXIT_CODE.ok : EXIT_CODE.failed
}

/** Whether the line has left an order that rests. */
function noteResting(app: App): { some: boolean } {
  const rests = { some: false }
  app.runner.addSink({
    output(_run, _kind, _text, data) {
      if (data !== undefined && isOrderData(data)) rests.some ||= data.event === 'rests' || data.event === 'protected'
    },
  })
  return rests
}

function isOrderData(data: RunData): data is OrderData {
  return data.type === 'order'
}

function writeLine(line: string): void {
  process.stdout.write(`${line}\n`)
}

function textSink(): RunSink {
  const coloured = { out: mayColour(process.stdout, process.env), err: mayColour(process.stderr, process.env) }
  const toStderr = (kind: OutputKind) => kind === 'error' || kind === 'warn'
  return {
    output(_run, kind, text) {
      const [stream, colour] = toStderr(kind) ? [process.stderr, coloured.err] : [process.stdout, coloured.out]
      const style = { coloured: colour, ...(stream.isTTY ? { width: stream.columns } : {}) }
      stream.write(`${renderLines(kind, text, style).join('\n')}\n`)
    },
  }
}
