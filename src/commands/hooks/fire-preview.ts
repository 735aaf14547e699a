// What a fire of a hook would do now: for `hook test`, and for pages that ask. Nothing is sent, and it counts as no fire (behaviour 47).
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import { type Alert, alertTermsOf, takeAlert, whyNotFresh } from '../../hooks/alert.ts'
import { whySkipped } from '../../hooks/fire-limits.ts'
import { callsIn } from '../../language/expansion.ts'
import { parseHookChain } from '../../language/hook-chain.ts'
import type { Preview, PreviewRefusal } from '../../protocol/preview.ts'
import { isOfOperator } from '../../runs/run.ts'
import type { Hook } from '../../stores/hooks.ts'
import { showAmount, showSum } from '../../trading/figures.ts'
import type { CommandContext } from '../kit/command.ts'
import type { CommandPorts, PreviewCare } from '../kit/ports.ts'
import { INFORM_MS, slipIn } from '../kit/preview.ts'

interface FirePreviewPorts extends Pick<CommandPorts, 'hookFacts' | 'preview'> {
  readonly config: Pick<CommandPorts['config'], 'read'>
  readonly panic: Pick<CommandPorts['panic'], 'read'>
}

/** What an alert with this body is, by the path of a real fire; undefined: the command takes nothing of it. @throws {AlertError} */
export function alertOfBody(command: string, body: string): Alert | undefined {
  const terms = alertTermsOf(command)
  return terms.isEmpty ? undefined : takeAlert(terms, new TextEncoder().encode(body), true)
}

export async function previewFire(
  ports: FirePreviewPorts,
  hook: Hook,
  alert: Alert | undefined,
  care: PreviewCare,
): Promise<Preview> {
  const before = blockedBy(ports, hook, alert)
  const found = await ports.preview(
    {
      command: hook.command,
      source: 'hook',
      hookId: hook.id,
      ...defined({ account: hook.account, values: alert?.values }),
      ...defined({ onlyIf: hook.limits?.onlyIf, max: hook.limits?.max }),
    },
    care,
  )
  const blocked = before ?? found.blocked
  return blocked === undefined ? found : { ...found, ok: false, blocked }
}

const MAX_ORDERS_SHOWN = 3

export type WorthPort = 'hookFacts' | 'preview' | 'config' | 'panic'

/**
 * Prints what a fire would order at the prices of now, to the person who has just stored it: a slip shows in what it is worth. Nothing, where the
 * hook orders nothing, or the venue does not answer in time. Of a hook with slots: what their limits do not hold.
 */
export async function showWorth({ ports, signal, source, out }: CommandContext<WorthPort>, hook: Hook): Promise<void> {
  if (!isOfOperator(source)) return
  if (alertTermsOf(hook.command).slots.length > 0) {
    if (namesTarget(hook.command)) out.info(TARGET_BOUND)
    return
  }
  const care = { signal: AbortSignal.any([signal, AbortSignal.timeout(INFORM_MS)]) }
  const found = await previewFire(ports, hook, alertOfBody(hook.command, ''), care)
  const slip = slipIn(found)
  if (slip !== undefined) {
    if (!care.signal.aborted) out.warn(`a fire now would be refused: ${slip}`)
    return
  }
  const orders = found.orders.flatMap(({ side, amount, unit, symbol, notional, quote = '', roundedBy = '0' }) => {
    if (notional === undefined) return []
    const percent = new Decimal(roundedBy)
    const rounding = percent.gte(1) ? ` (rounding down to the lot cuts ${percent.toFixed(1)}%)` : ''
    return [`${side} ${showAmount(amount)} ${unit} on ${symbol}, worth ${showSum(notional, quote)}${rounding}`]
  })
  if (orders.length === 0) return
  const more = orders.length > MAX_ORDERS_SHOWN ? `; and ${orders.length - MAX_ORDERS_SHOWN} more orders` : ''
  out.info(`a fire now would ${orders.slice(0, MAX_ORDERS_SHOWN).join('; ')}${more}`)
}

const TARGET_BOUND = 'the alert names a position: limits apply to the target; an order may exceed them by what you hold'

/** Whether an alert fills in the position to be reached. */
function namesTarget(command: string): boolean {
  return callsIn(parseHookChain(command)).some(
    ({ name, args }) => name === 'position' && args.some((argument) => argument.kind === 'word' && argument.slot),
  )
}

/** What would keep a fire from sending anything, whatever its command is. */
export function blockedBy(
  { config, panic, hookFacts }: FirePreviewPorts,
  hook: Hook,
  { key, sent, values }: Partial<Pick<Alert, 'key' | 'sent' | 'values'>> = {},
): PreviewRefusal | undefined {
  const { enabled, remoteExec } = config.read().listener
  if (panic.read() !== undefined)
    return { code: 'panic', text: 'panic is on: no hook runs', hint: 'type `resume` in the terminal' }
  if (!enabled) return { code: 'switched-off', text: 'listener.enabled is off: no hook is answered' }
  if (!remoteExec) return { code: 'switched-off', text: 'remoteExec is off: no hook runs' }
  const facts = hookFacts()(hook)
  const first = key === undefined ? undefined : facts.firstRun(key)
  if (first !== undefined) {
    const id = first.slice(0, 8)
    return {
      code: 'repeat',
      text: `a fire would be a repeat of run ${id}: it runs nothing`,
      hint: `\`runs show ${id}\` shows it`,
    }
  }
  const old = sent && whyNotFresh(sent, facts.wallMs)
  if (old === undefined && hook.dry === true) return { code: 'dry', text: 'the hook is dry: its fires send nothing' }
  const isExit = () => facts.onlyReduces({ command: hook.command, ...defined({ values }) })
  const skip = old === undefined ? whySkipped(hook, facts, isExit) : { code: 'age', why: old }
  return skip && { code: skip.code, text: `a fire would be skipped: ${skip.why}` }
}
