// The limits of a live account are asked for as it is added (behaviour 40). An empty answer takes the default.
import { Decimal } from 'decimal.js'
import { LIVE_DEFAULTS } from '../../guards/rules.ts'
import { printable, shown } from '../../language/printable.ts'
import type { StoredLimits } from '../../stores/guards.ts'
import { showMoney } from '../../trading/figures.ts'
import type { CommandContext } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import type { Terminal } from '../kit/ports.ts'

const ASKED = [
  ['order', 'largest order'],
  ['day', 'orders of one UTC day'],
] as const

/**
 * A person is asked again after a slip, and need not begin anew with the keys. From a pipe the next two lines are the answers.
 * @param inform says what was wrong with an answer
 * @throws {CommandError} `bad-limit`, `cancelled`, `no-terminal`
 */
export async function askLimits(
  terminal: Pick<Terminal, 'ask' | 'askHidden' | 'confirm'>,
  inform: (text: string) => void,
): Promise<StoredLimits> {
  const ask = terminal.ask ?? terminal.askHidden
  const limits: Record<string, string> = {}
  for (const [limit, what] of ASKED) {
    const usual = LIVE_DEFAULTS[limit] ?? 'off'
    for (;;) {
      const answer = await ask(`${what} in dollars, or off (Enter: ${showMoney(usual)}): `)
      const read = readAnswer(answer, usual)
      if (read !== undefined) {
        limits[limit] = read
        break
      }
      const problem = `${shown(answer.trim())} is neither an amount in dollars nor off`
      if (terminal.confirm === undefined)
        throw new CommandError('bad-limit', problem, { hint: 'add the account again' })
      inform(`${problem}; type one such as $500`)
    }
  }
  return limits
}

/** For `account add`: asks now, and gives what keeps the answers once the account is there. */
export async function askLimitsOf(
  context: CommandContext<'terminal' | 'guards'>,
  { name }: { readonly name: string },
): Promise<() => Promise<void>> {
  const { terminal, guards } = context.ports
  if (terminal === undefined) {
    const { order = '0', day = '0' } = LIVE_DEFAULTS
    context.out.info(
      `limits: ${showMoney(order)} an order and ${showMoney(day)} a day; \`guards set ${printable(name, 40)}\` changes them`,
    )
    return async () => {}
  }
  const limits = await askLimits(terminal, (text) => context.out.warn(text))
  return async () => {
    await guards.setLimits(name, limits)
    await context.audit('guards set', { account: name, ...limits })
  }
}

function readAnswer(answer: string, usual: string): string | undefined {
  const bare = answer
    .trim()
    .toLowerCase()
    .replace(/^\$/, '')
    .replaceAll(/,(?=\d{3}(?:\D|$))/g, '')
  if (bare === '') return usual
  if (bare === 'off') return 'off'
  if (/^\d{1,15}(?:\.\d{1,8})?$/.test(bare)) return new Decimal(bare).toFixed()
  return undefined
}
