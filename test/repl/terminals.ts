// Terminals for the facts of one file: each closed after its test, all running the same bundle.
import { afterEach, beforeAll } from 'vitest'
import { tempDirectory, tempDirectoryOfFile } from '../../harness/files/temp-directory.ts'
import { answerBlock } from '../../harness/process/pseudo-terminal.ts'
import { bundleProgram } from './bundle.ts'
import { DrivenTerminal, KEY, type TerminalOptions } from './driven-terminal.ts'

export const FOCUS = 'paper [BTCUSDT 65,012.5]'
export const PROMPT = `${FOCUS} > `

export const prompted = (screen: DrivenTerminal) => screen.typed() === PROMPT

/** Lines that were run so far. */
export async function executed(terminal: DrivenTerminal): Promise<readonly string[]> {
  return (await terminal.happen({ do: 'report' })).executed
}

/** @returns opens one that shows its prompt */
export function terminalsOfFile(): (options?: Partial<TerminalOptions>) => Promise<DrivenTerminal> {
  const directory = tempDirectoryOfFile()
  const opened: DrivenTerminal[] = []
  let program: string
  beforeAll(async () => {
    program = await bundleProgram(directory)
  })
  afterEach(() => Promise.all(opened.splice(0).map((terminal) => terminal.close())))
  return async (options = {}) => {
    const terminal = await DrivenTerminal.open({ program, directory: tempDirectory(), ...options })
    opened.push(terminal)
    await terminal.until(prompted)
    return terminal
  }
}

/** A terminal in which `hold` runs. */
export async function hold(terminal: DrivenTerminal): Promise<DrivenTerminal> {
  await terminal.enter('hold')
  await terminal.shows('holding')
  return terminal
}

export { answerBlock, KEY }
