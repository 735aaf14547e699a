// `hookline hook test` and `hookline hook logs`: what a hook would do, and what it did; the same runs as at the prompt, with its exit codes.
import type { Command } from 'commander'
import type { Argument } from '../language/chain.ts'
import { runOneShot } from './one-shot.ts'
import { quoted, shellLine, word } from './shell-line.ts'

interface LookOptions {
  readonly json?: boolean
  readonly limit?: string
  readonly follow?: boolean
}

/** @param id how people name a hook */
export function addHookLooks(hook: Command, id: string, setExitCode: (code: number) => void): void {
  const run = async (args: readonly Argument[], { json = false }: LookOptions) =>
    setExitCode(await runOneShot(shellLine('hook', args), { json }))
  hook
    .command('test')
    .description('preview a fire with this body; nothing is sent, and it fails where the fire would')
    .argument('<id>', id)
    .argument('[body...]', 'the message of the alert: JSON in quotes, or key=value')
    .option('--json', 'print JSON')
    .action((name: string, body: readonly string[], options: LookOptions) =>
      run([word('test'), quoted(name), ...body.map(quoted)], options),
    )
  hook
    .command('logs')
    .description('last runs of a hook with their output, newest last')
    .argument('<id>', id)
    .option('--limit <runs>', 'this many of the newest (default 10)')
    .option('--follow', 'and those that come, until Ctrl-C')
    .option('--json', 'print JSON')
    .action((name: string, { limit, follow = false, ...options }: LookOptions) =>
      run(
        [
          word('logs'),
          quoted(name),
          ...(limit === undefined ? [] : [word('--limit'), quoted(limit)]),
          ...(follow ? [word('--follow')] : []),
        ],
        options,
      ),
    )
}
