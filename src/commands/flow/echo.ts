// Prints its words. Synchronous unless a word holds a live value: hooks use it as their cheapest body.

import type { Argument } from '../../language/chain.ts'
import { requireKnownNames } from '../../language/expansion.ts'
import { FOCUS, NO_SYMBOL } from '../../language/focus-taken.ts'
import { hintForSpokenAlert } from '../../language/foreign-syntax-hints.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printArgument } from '../../language/print.ts'
import { TEXT_LENGTH } from '../../notices/notice.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { hasLiveNames, joinLiveText, joinText, missing } from '../kit/read-arguments.ts'

export const echo: SingleCommand = {
  name: 'echo',
  group: 'flow',
  usage: '[words…]',
  summary: 'print words, with @variables and $last $bid $ask $entry $pnl filled in',
  where: 'anywhere',
  takesText: true,
  underPanic: true,
  examples: [
    { line: 'echo ok', meaning: 'prints ok' },
    { line: 'echo last is $last', meaning: 'prints the last price of the symbol in focus' },
    { line: 'echo "costs $last; really"', meaning: 'prints a string exactly as it is' },
  ],
  check: (args) => requireKnownNames(args),
  symbolUse: (args) => (hasLiveNames(args) ? FOCUS : NO_SYMBOL),
  run(context, args) {
    requireKnownTyped(context, args)
    if (hasLiveNames(args)) return joinLiveText(context, args).then((text) => context.out.print(text))
    context.out.print(joinText(args))
    return undefined
  },
}

/** A hook that was registered before such names were refused fires as before. @throws {LanguageError} `unknown-variable` */
function requireKnownTyped({ source }: Pick<CommandContext, 'source'>, args: readonly Argument[]): void {
  if (source !== 'hook') requireKnownNames(args)
}

// `notify` (behaviour 50): text for the operator, wherever they are. A line that says too much goes on; what is too much is not told.

export const notify: SingleCommand<'notices'> = {
  name: 'notify',
  group: 'flow',
  usage: '<words…>',
  summary: 'send yourself a notice on the channels that `notices` lists; takes what `echo` takes',
  where: 'anywhere',
  takesText: true,
  examples: [
    { line: 'notify "long BTCUSDT"', meaning: 'on the desktop, by Telegram, or through any channel of `notices add`' },
    { line: 'buy $100; notify bought at $last', meaning: 'after the order, with the last price' },
  ],
  check(args) {
    if (args.length === 0) throw missing(args, 'the text to send')
    refuseAlert(args)
    requireKnownNames(args)
  },
  symbolUse: (args) => (hasLiveNames(args) ? FOCUS : NO_SYMBOL),
  run(context, args) {
    if (args.length === 0) throw missing(args, 'the text to send')
    if (context.source !== 'hook') refuseAlert(args)
    requireKnownTyped(context, args)
    if (hasLiveNames(args)) return joinLiveText(context, args).then((text) => sendNotice(context, text))
    sendNotice(context, joinText(args))
    return undefined
  },
}

/** `notify me when BTC > 70000` waits for nothing: its text would read as if it did. */
function refuseAlert(args: readonly Argument[]): void {
  const hint = hintForSpokenAlert(args.map(printArgument))
  if (hint === undefined) return
  throw new LanguageError(
    'bad-argument',
    '`notify` sends its text at once',
    args[0]?.column ?? 1,
    `${hint}, or put the text in quotes`,
  )
}

function sendNotice(context: CommandContext<'notices'>, typed: string): void {
  const { ports, out, accountName, source, by } = context
  const text = typed.slice(0, TEXT_LENGTH)
  const hook = source === 'hook' && by.origin !== undefined ? { hook: by.origin } : {}
  const who = by.hookId ?? by.clientId ?? 'terminal'
  const isSent = ports.notices.sendFor({ kind: 'said', severity: 'info', text, account: accountName, ...hook }, who)
  if (isSent) out.print(text)
  else out.warn(`not sent: too many notices within a minute: ${text}`)
}
