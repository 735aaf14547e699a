// `hookline hook test`, `hookline hook replay` and `hookline hook logs`: what a hook would do, would have done, and did; the same runs as at the
// prompt, with its exit codes.
import type { Command } from 'commander'
import type { Argument } from '../language/chain.ts'
import { runOneShot } from './one-shot.ts'
import { quoted, shellLine, word } from './shell-line.ts'

interface LookOptions {
  readonly json?: boolean
  readonly limit?: string
  readonly follow?: boolean
}

interface ReplayOptions
  extends Readonly<Partial<Record<'since' | 'candles' | 'when' | 'frame' | 'balance' | 'account', string>>> {
  readonly gaps?: true
  readonly csv?: true
  readonly json?: boolean
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
    .command('replay')
    .description('try a hook with a condition on candles of the past; nothing is sent')
    .argument('<id>', `${id}; with --when, or a command in quotes`)
    .option('--since <time>', "by candles of the account's venue, from then on: 90d, 2026-01-31")
    .option('--candles <file>', 'by a file of time, open, high, low, close, volume')
    .option('--gaps', 'continue after missing candles')
    .option('--when <condition>', 'another condition, or times, than the hook has')
    .option('--frame <frame>', 'of the candles: 1m, 5m, 15m, 1h, 4h, 1d')
    .option('--balance <dollars>', 'what the account begins with (default $10000)')
    .option('--account <name>', 'whose venue and limits')
    .option('--csv', 'print each fire and fill as CSV')
    .option('--json', 'print JSON')
    .action((name: string, { gaps, csv, json = false, ...values }: ReplayOptions) =>
      run(
        [
          word('replay'),
          quoted(name),
          ...Object.entries(values).flatMap(([option, value]) => [word(`--${option}`), quoted(value)]),
          ...(gaps === true ? [word('--gaps')] : []),
          ...(csv === true ? [word('--csv')] : []),
          // Its one object, as at the prompt: a line of a run has an id of its own, and the same replay is the same bytes.
          ...(json ? [word('--json')] : []),
        ],
        {},
      ),
    )
  hook
    .command('logs')
    .description('last runs of a hook with their output, newest last')
    .argument('<id>', id)
    .option('--limit <runs>', 'this many of the newest (default 10)')
    .option('--follow', 'and new runs, until Ctrl-C')
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
