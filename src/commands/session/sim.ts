// `sim on|off`: orders are worked out, checked and told, and not sent (behaviour 40). Only at the terminal: a page could make a stop or a close
// that is meant come to nothing.
import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printable, shown } from '../../language/printable.ts'
import { requireAccount } from '../account/account-name.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { missing, readText, refuseMoreThan } from '../kit/read-arguments.ts'

export const sim: SingleCommand<'guards' | 'accounts'> = {
  name: 'sim',
  neverGuessed: true,
  group: 'session',
  usage: 'on|off [account | all]',
  summary: 'check and print orders and cancels instead of sending them',
  where: 'trusted',
  underPanic: true,
  examples: [
    { line: 'sim on', meaning: 'on the account in focus' },
    { line: 'sim off all', meaning: 'orders are sent again, on every account' },
  ],
  complete: ({ words, accounts }) => (words.length === 0 ? ['on', 'off'] : [...accounts, 'all']),
  async run(context, args) {
    const [first, ...rest] = args
    if (first === undefined) throw missing(args, '`on` or `off`')
    const isOn = readSwitch(first)
    const account = accountMeant(context, rest)
    const { guards } = context.ports
    const who = account === undefined ? 'every account' : `account ${printable(account, 40)}`
    const own = guards
      .list()
      .filter((row) => row.simulated === true && (account === undefined || row.account === account))
    const wasOn = own.length > 0 || (account === undefined && guards.readAll().simulated === true)
    if (account === undefined && !isOn) for (const row of own) await guards.simulate(row.account, false)
    await guards.simulate(account, isOn)
    await context.audit(isOn ? 'sim on' : 'sim off', { account: account ?? 'all' })
    if (isOn)
      return context.out.warn(
        `${who} is simulated: no order, change or cancel is sent until \`${account === undefined ? 'sim off all' : 'sim off'}\``,
      )
    const sends = account === undefined ? 'every account' : printable(account, 40)
    if (wasOn) context.out.success(`simulation off: ${sends} sends orders`)
    else context.out.info(account === undefined ? 'no account was simulated' : `${who} was not simulated`)
    if (account !== undefined && guards.readAll().simulated === true) {
      context.out.warn('every account is still simulated; `sim off all` ends it')
    }
  },
}

function readSwitch(argument: Argument): boolean {
  const word = readText(argument).toLowerCase()
  if (word === 'on' || word === 'off') return word === 'on'
  throw new LanguageError(
    'bad-argument',
    `\`sim\` takes on or off, not ${shown(word)}`,
    argument.column,
    'type `sim on`; to simulate one line, add `--dry` to it',
  )
}

/** undefined: all. */
function accountMeant(context: CommandContext<'accounts'>, args: readonly Argument[]): string | undefined {
  const [only] = args
  if (only === undefined) return context.accountName
  refuseMoreThan(1, args)
  return readText(only).toLowerCase() === 'all' ? undefined : requireAccount(context.ports.accounts, args)
}
