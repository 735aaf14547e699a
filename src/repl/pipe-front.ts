// Commands from a pipe or a file, one per line: a line is taken when the one before has finished, so that their order and
// their output's order hold (behaviour 35). Nothing is edited, coloured or kept in the history.
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { CommandError } from '../commands/kit/command-error.ts'
import type { Front, FrontPorts } from './front.ts'

export interface PipeFrontPorts extends FrontPorts {
  readonly input: Readable & { readonly isTTY?: boolean }
}

/** Reads until the end of input, also a last line without newline. A hidden question is answered by the next line. */
export function openPipeFront(ports: PipeFrontPorts): Front {
  const { input } = ports
  const rl = createInterface({ input, terminal: false, crlfDelay: Number.POSITIVE_INFINITY })
  const lines = rl[Symbol.asyncIterator]()
  let open = true

  const next = async (): Promise<string | undefined> => {
    try {
      const { value, done } = await lines.next()
      return done || !open ? undefined : value
    } catch (error) {
      ports.print('error', `reading commands failed: ${(error as Error).message}`)
      return undefined
    }
  }
  const readAll = async (): Promise<void> => {
    for (let line = await next(); open && line !== undefined; line = await next()) {
      if (line.trim() !== '' && !ports.answer(line)) await ports.execute(line)
    }
    ports.end('end')
  }
  void readAll()

  return {
    async askHidden(question) {
      // A terminal that we do not edit on would show what is typed.
      if (input.isTTY) {
        throw new CommandError('no-terminal', 'this terminal cannot hide what is typed', {
          hint: 'use a terminal that is not TERM=dumb and do not redirect the output',
        })
      }
      ports.print('info', question)
      const answer = await next()
      if (answer === undefined) throw new CommandError('cancelled', 'canceled: the input ended before the answer')
      return answer
    },
    refresh() {},
    close() {
      open = false
      rl.close()
    },
  }
}
