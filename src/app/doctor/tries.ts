// The doctor's attempts, each by an app of its own that does not listen.
import { randomUUID } from 'node:crypto'
import { defined } from '../../base/defined.ts'
import { lookup } from '../../commands/catalogue.ts'
import { bindVariables, variableOf } from '../../commands/flow/variables.ts'
import { alertOfBody, blockedBy, previewFire } from '../../commands/hooks/fire-preview.ts'
import type { CommandData } from '../../commands/kit/data.ts'
import { isRefusal } from '../../commands/kit/errors.ts'
import { slotsOf } from '../../hooks/alert.ts'
import type { Chain } from '../../language/chain.ts'
import { callsIn, expandAlias } from '../../language/expansion.ts'
import { bindSlots, parseHookChain, sampleValues } from '../../language/hook-chain.ts'
import type { Hook } from '../../stores/hooks.ts'
import { App } from '../app.ts'
import { quietEvents } from '../app-events.ts'
import type { FireFacts, VenueFacts } from './facts.ts'

/** Asks a venue, as `account check` does. */
export async function checkVenue(env: NodeJS.ProcessEnv, account: string): Promise<VenueFacts> {
  // What is taken out of the environment is needed for the next account.
  const app = new App({ env: { ...env }, listen: 'none', events: quietEvents })
  let facts: VenueFacts = { account }
  app.runner.addSink({
    output(_run, _kind, _text, data) {
      const shown = data as CommandData | undefined
      if (shown?.type !== 'account-check') return
      const { latencyMs, clockDifferenceMs } = shown
      facts = { account, latencyMs, ...defined({ clockDifferenceMs }) }
    },
  })
  try {
    await app.start()
    const command = `account check ${account}`
    const { success, error } = await app.runner.run({ runId: randomUUID(), source: 'exec', command })
    return success ? facts : { ...facts, error: error ?? 'it could not be asked' }
  } finally {
    await app.stop(0)
  }
}

type Problems = FireFacts['problems']

/**
 * The outcome that a fire of each hook would have now, by the path of `hook test`: its limits, its words, and its orders. Nothing is sent.
 * @param withVenues whether those that need a venue may be tried whole; without, nothing leaves the machine
 */
export async function tryHooks(env: NodeJS.ProcessEnv, withVenues: boolean): Promise<readonly FireFacts[]> {
  const app = new App({ env: { ...env }, listen: 'none', events: quietEvents })
  try {
    await app.start()
    const fires: FireFacts[] = []
    for (const hook of app.ports.hooks.list())
      fires.push({ hook: hook.name, problems: await tryHook(app, hook, withVenues) })
    return fires
  } finally {
    await app.stop(0)
  }
}

async function tryHook(app: App, hook: Hook, withVenues: boolean): Promise<Problems> {
  const { ports } = app
  const blocked = blockedBy(ports, hook)
  if (blocked !== undefined) return [blocked]
  const words = problemsOfWords(ports, hook)
  if (words.length > 0) return words
  const row = ports.accounts.find(hook.account ?? ports.config.read().defaultAccount)
  const isHere = row?.exchange === 'paper' && row.prices === undefined
  // What an alert would fill in is not known, and a sample of it may be refused where the real one is not.
  if (row === undefined || !(isHere || withVenues) || slotsOf(hook.command).length > 0) return []
  // What keeps back every order of the account is said of the account.
  const { state, simulated } = ports.guards.read(row.name)
  if (state !== 'active' || simulated) return []
  const preview = await previewFire(ports, hook, alertOfBody(hook.command, ''), {})
  if (preview.blocked !== undefined) return [preview.blocked]
  return preview.errors.map(({ code, text, hint }) => ({ code, text, ...defined({ hint }) }))
}

/** Aliases and variables that are gone. */
function problemsOfWords(ports: App['ports'], hook: Hook): Problems {
  try {
    const [sample = {}] = sampleValues(slotsOf(hook.command))
    requireWords(bindSlots(parseHookChain(hook.command), sample), { ports, hookId: hook.id, made: new Set() })
    return []
  } catch (error) {
    if (!isRefusal(error)) throw error
    const { code, message, hint } = error
    return [{ code, text: message, ...defined({ hint }) }]
  }
}

interface Words {
  readonly ports: App['ports']
  readonly hookId: string
  /** Variables that the line itself sets. */
  readonly made: Set<string>
}

function requireWords(chain: Chain, words: Words): void {
  const { ports, hookId, made } = words
  const speaker = { source: 'hook', by: { hookId } } as const
  for (const call of callsIn(chain)) {
    const alias = lookup.find(call.name) ? undefined : expandAlias(call, ports.aliases.read())
    if (alias !== undefined) {
      requireWords(alias, words)
      continue
    }
    const { path, form, args } = lookup.resolve(call)
    bindVariables(form, args, (name) => (made.has(name) ? '1' : variableOf(ports.variables, speaker, name)))
    const [first] = args
    if (path === 'set' && first?.kind === 'word') made.add(first.text.slice(1))
  }
}
