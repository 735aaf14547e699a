// `history`, `times`, `clear` and `exit`: the terminal itself. They run only at hookline's prompt (behaviour 19).
import { LanguageError } from '../../language/language-error.ts'
import { printable, shown } from '../../language/printable.ts'
import { isTimeZone } from '../../stores/hooks.ts'
import { inTimeZone, showMoment, shownZone } from '../../trading/figures.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import type { Terminal } from '../kit/ports.ts'
import { readInteger, readText, refuseMoreThan } from '../kit/read-arguments.ts'

const DEFAULT_LINES = 20

export const history: SingleCommand<'terminal'> = {
  name: 'history',
  group: 'session',
  usage: '[count]',
  summary: 'earlier lines, oldest first',
  where: 'repl',
  immediate: true,
  examples: [
    { line: 'history', meaning: `the last ${DEFAULT_LINES}` },
    { line: 'history 100', meaning: 'the last 100' },
  ],
  run(context, args) {
    refuseMoreThan(1, args)
    const count = args[0] === undefined ? DEFAULT_LINES : readInteger(args[0], 1, 100_000)
    const lines = requireTerminal(context).history().slice(-count)
    if (lines.length === 0) return context.out.info('no lines typed yet')
    context.out.print(lines.map((line) => printable(line, 500)).join('\n'))
  },
}

export const times: SingleCommand<'terminal'> = {
  name: 'times',
  group: 'session',
  usage: '[local | utc | Europe/Berlin]',
  summary: 'the time zone that this terminal prints in; UTC by default',
  where: 'repl',
  immediate: true,
  examples: [
    { line: 'times local', meaning: 'in the zone of this machine; headings and moments name it' },
    { line: 'times Europe/Berlin', meaning: 'in any zone of the IANA time zone database' },
    { line: 'times utc', meaning: 'back to UTC; `times` alone shows which zone it is' },
  ],
  details: [
    'Typed times (`--since`, `wait time`), days, hooks, pages, --csv and --json keep UTC.',
    'It lasts until this terminal ends.',
  ],
  complete: ({ words }) => (words.length === 0 ? ['local', 'utc'] : []),
  run(context, args) {
    refuseMoreThan(1, args)
    const terminal = requireTerminal(context)
    const [first] = args
    if (first !== undefined) {
      const zone = readZone(readText(first))
      if (zone === undefined) {
        throw new LanguageError(
          'bad-argument',
          `no time zone ${shown(readText(first))} found`,
          first.column,
          'type times local, times utc or times Europe/Berlin',
        )
      }
      if (terminal.times === undefined) throw noPrompt()
      terminal.times.zone = zone
    }
    const zone = terminal.times?.zone ?? 'utc'
    inTimeZone(zone, () => {
      const keeps = zone !== 'utc' ? '; typed times, days, --csv and --json keep UTC' : ''
      context.out.info(`times are shown in ${shownZone()}: it is ${showMoment(context.clock.now())}${keeps}`)
    })
  },
}

/** @returns `local`, `utc`, or the zone as the IANA database spells it; undefined: there is none */
function readZone(text: string): string | undefined {
  const word = text.toLowerCase()
  if (word === 'local' || word === 'utc') return word
  // `+02:00` would stay the same in winter and summer.
  if (!/^[a-z]/.test(word) || !isTimeZone(text)) return undefined
  return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
}

export const clear: SingleCommand<'terminal'> = {
  name: 'clear',
  aliases: ['cls'],
  group: 'session',
  usage: '',
  summary: 'clear the screen',
  where: 'repl',
  underPanic: true,
  examples: [{ line: 'clear', meaning: 'what scrolled away stays in the scrollback' }],
  run(context, args) {
    refuseMoreThan(0, args)
    requireTerminal(context).clear()
  },
}

export const exit: SingleCommand<'terminal'> = {
  name: 'exit',
  aliases: ['quit', 'q'],
  group: 'session',
  usage: '',
  summary: 'end hookline; running commands get a few seconds to finish',
  where: 'repl',
  underPanic: true,
  examples: [{ line: 'exit', meaning: 'hooks are not answered until the next start' }],
  async run(context, args) {
    const [first] = args
    const text = first?.kind === 'word' && !/^(positions?|trades?|now)$/i.test(first.text) ? first.text : ''
    const symbol = /^(?:[a-z0-9:/-]{2,30}|[\d.]{1,10}%)$/i.test(text) ? ` ${text}` : ''
    refuseMoreThan(0, args, `type \`close${symbol}\` to end a position, or only \`exit\` to leave`)
    const terminal = requireTerminal(context)
    if (await mayLeave(context, terminal)) terminal.quit()
  },
}

/** Asks each time while a position has no stop: after a no, `exit` may be a slip again. */
async function mayLeave({ confirm, out }: CommandContext<'terminal'>, terminal: Terminal): Promise<boolean> {
  const bare = confirm === undefined ? [] : ((await terminal.bare?.()) ?? [])
  if (confirm === undefined || bare.length === 0) return true
  for (const { line } of bare) out.warn(line)
  const symbols = [...new Set(bare.map(({ symbol }) => symbol))]
  const names = symbols.join(', ').replace(/, (?=[^,]*$)/, ' and ')
  const stops = symbols.length === 1 ? 'a stop' : 'stops'
  if (await confirm(`leave ${printable(names, 200)} without ${stops}? y or n >`)) return true
  out.info('canceled: still running')
  return false
}

function requireTerminal(context: CommandContext<'terminal'>): Terminal {
  const { terminal } = context.ports
  if (terminal !== undefined) return terminal
  throw noPrompt()
}

function noPrompt(): CommandError {
  return new CommandError('no-terminal', 'there is no prompt here', { hint: 'start hookline without arguments' })
}
