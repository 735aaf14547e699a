// hookline's prompt on a pipe, typed at and read from.
import { randomUUID } from 'node:crypto'
import { LISTENING, RunningHookline } from './hookline.ts'

/** The REPL, once it listens. @param env beyond what every hookline of a test has */
export async function startRepl(
  directory: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningHookline> {
  const repl = new RunningHookline(directory, [], { env })
  await repl.prints(LISTENING)
  return repl
}

/** Types a line. @returns what was printed until it had run */
export async function ask(repl: RunningHookline, line: string): Promise<string> {
  const mark = randomUUID()
  const from = repl.stdout.length
  repl.say(line)
  repl.say(`echo ${mark}`)
  await repl.prints(mark)
  return repl.stdout.slice(from, repl.stdout.indexOf(mark))
}
