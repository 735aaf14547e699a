// `hook fire`: a fire by hand, decided as a POST with the hook's token is, limits and all. What it orders is real.
import { defined } from '../../base/defined.ts'
import { type Skip, whySkipped } from '../../hooks/fire-limits.ts'
import { typedLine } from '../../language/print.ts'
import { printable } from '../../language/printable.ts'
import type { Hook } from '../../stores/hooks.ts'
import { MIN_PREFIX_LENGTH } from '../../stores/rows.ts'
import type { CommandForm, CompletionContext } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { readText, requireText } from '../kit/read-arguments.ts'

const ENDED_BY_RESUME: ReadonlySet<Skip['code']> = new Set(['paused', 'failing', 'once'])

/** By its name, where that can be typed. */
export function resumeLine({ id, name }: Pick<Hook, 'id' | 'name'>): string {
  return typedLine`hook resume ${name}` ?? `hook resume ${id.slice(0, MIN_PREFIX_LENGTH)}`
}

export function fireForm(
  complete: (context: CompletionContext) => readonly string[],
): CommandForm<'hooks' | 'fireHook' | 'hookFacts'> {
  return {
    name: 'fire',
    neverGuessed: true,
    usage: '<name | id | prefix> [\'{"size":250}\' | key=value…]',
    summary: 'fire a hook now, as an alert does: its orders are sent',
    where: 'by hand',
    examples: [
      { line: 'hook fire dip', meaning: 'as a POST with its token, limits and all; `hook test dip` sends nothing' },
      { line: 'hook fire alert size=250 symbol=BTCUSDT', meaning: 'with values for its slots' },
    ],
    complete,
    async run(context, args) {
      const hook = context.ports.hooks.resolve(requireText(args, 0, "the hook's name or id"))
      const name = printable(hook.name, 128)
      // The fire itself counts: what it waits for is asked before.
      const skip = whySkipped(hook, context.ports.hookFacts()(hook))
      const answer = await context.ports.fireHook(hook, args.slice(1).map(readText).join(' '))
      if (answer === undefined) {
        const hint = 'type it in the hookline that holds the port; `listener` names it'
        throw new CommandError('not-fired', `hook ${name} was not fired: this hookline does not listen`, { hint })
      }
      if ('why' in answer)
        throw new CommandError('not-fired', `hook ${name} was not fired: ${printable(answer.why, 300)}`)
      if (answer.unbegun !== undefined) {
        const isPaused = skip !== undefined && ENDED_BY_RESUME.has(skip.code)
        const hint = isPaused ? `type \`${resumeLine(hook)}\` first` : undefined
        const { why, isSkipped } = answer.unbegun
        const what = `hook ${name} did not run: ${printable(why, 300)}`
        throw new CommandError(isSkipped ? 'fire-skipped' : 'not-fired', what, defined({ hint }))
      }
      if (answer.isRepeat) {
        const hint = `\`runs show ${answer.runId.slice(0, 8)}\` shows the first`
        throw new CommandError('not-fired', `hook ${name} did not run: an alert with this id has run already`, { hint })
      }
      context.out.success(`fired hook ${name}: \`runs show ${answer.runId.slice(0, 8)}\` shows the result`)
      await context.audit('hook fire', { hookId: hook.id, name: hook.name, firedRunId: answer.runId })
    },
  }
}
