// `hook test`: what a fire with this body would do now. Nothing is sent, and it counts as no fire (behaviour 47).
import { defined } from '../../base/defined.ts'
import { type Alert, AlertError, alertTermsOf, slotsOf, stampsMissing } from '../../hooks/alert.ts'
import type { Argument } from '../../language/chain.ts'
import { sampleValues } from '../../language/hook-chain.ts'
import { pointAt } from '../../language/language-error.ts'
import { printable } from '../../language/printable.ts'
import type { Preview } from '../../protocol/preview.ts'
import type { Hook } from '../../stores/hooks.ts'
import type { CommandContext, CommandForm, CompletionContext } from '../kit/command.ts'
import type { PreviewData } from '../kit/data.ts'
import { CommandError } from '../kit/errors.ts'
import { describePreviewRefusal, printPreview } from '../kit/preview.ts'
import { readText, requireText } from '../kit/read-arguments.ts'
import { alertOfBody, previewFire } from './fire-preview.ts'

type Need = 'hooks' | 'hookFacts' | 'config' | 'panic' | 'preview'

export function testForm(complete: (context: CompletionContext) => readonly string[]): CommandForm<Need> {
  return {
    name: 'test',
    usage: '<name | id | prefix> [\'{"size":250}\' | key=value…]',
    summary: 'preview a fire with this body; nothing is sent',
    where: 'anywhere',
    rows: true,
    underPanic: true,
    examples: [
      { line: 'hook test dip', meaning: 'every order that it would place, with fee, margin and the loss at its stop' },
      { line: 'hook test alert size=250 symbol=BTCUSDT', meaning: 'with values for its slots' },
      { line: `hook test alert '{"size": 250, "symbol": "BTCUSDT"}'`, meaning: 'the same as JSON' },
    ],
    complete,
    async run(context, args) {
      const hook = context.ports.hooks.resolve(requireText(args, 0, "the hook's name or id"))
      const alert = alertOf(context, hook, args.slice(1))
      print(context, hook, await previewFire(context.ports, hook, alert, { signal: context.signal }), alert?.values)
      const body = new TextEncoder().encode(args.slice(1).map(readText).join(' '))
      const missing = stampsMissing(alertTermsOf(hook.command), body).join(' and ')
      const name = printable(hook.name, 128)
      if (missing === '') context.out.success(`hook ${name} would run now; nothing was sent`)
      else context.out.warn(`hook ${name} would run now with ${missing}, which a fire needs; nothing was sent`)
    },
  }
}

/** By the path of a real fire. @throws {CommandError} `bad-alert` */
function alertOf({ out }: CommandContext, { name, command }: Hook, body: readonly Argument[]): Alert | undefined {
  const slots = slotsOf(command)
  if (slots.length === 0 && body.length > 0) out.info('the body is ignored: this hook has no slots')
  try {
    return alertOfBody(command, body.map(readText).join(' '))
  } catch (error) {
    if (!(error instanceof AlertError)) throw error
    const [sample = {}] = sampleValues(slots)
    const pairs = Object.entries(sample).map((pair) => pair.join('='))
    throw new CommandError('bad-alert', `bad alert: ${error.message}`, {
      hint: printable(`type \`hook test ${name} ${pairs.join(' ')}\`, or values of your own`, 200),
    })
  }
}

/** @throws {CommandError} `would-fail`, `would-not-run` */
function print(
  context: CommandContext<Need>,
  hook: Hook,
  preview: Preview,
  values: Readonly<Record<string, string>> | undefined,
): void {
  const { out } = context
  const name = printable(hook.name, 128)
  const data: PreviewData = {
    ...preview,
    type: 'preview',
    hook: hook.name,
    hookId: hook.id,
    command: hook.command,
    ...defined({ values }),
  }
  out.print(`hook ${name} on account ${printable(preview.account, 40)}: ${printable(hook.command, 500)}`, data)
  if (values !== undefined && slotsOf(hook.command).length > 0) {
    const pairs = Object.entries(values).map((pair) => pair.join('='))
    out.print(`with ${printable(pairs.join(' '), 300)}`)
  }
  printPreview(out, preview)
  for (const error of preview.errors) {
    const pointer = error.column === undefined ? '' : `\n${pointAt(hook.command, error.column)}`
    out.error(`${describePreviewRefusal(error)}${pointer}`)
  }
  if (preview.blocked !== undefined) {
    const { text, hint } = preview.blocked
    throw new CommandError('would-not-run', text, defined({ hint }))
  }
  if (!preview.ok) throw new CommandError('would-fail', `hook ${name} would fail now`)
}
