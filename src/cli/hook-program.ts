// `hookline hook …`: the REPL's hook commands from the shell. As text it is the very same run; as JSON it prints the rows, with the
// token exactly where the text form shows it.

import { App } from '../app/app.ts'
import { quietEvents } from '../app/app-events.ts'
import { EXIT_CODE } from '../app/this-process.ts'
import { defined } from '../base/defined.ts'
import { lookup } from '../commands/catalogue.ts'
import { takeLimits } from '../commands/hooks/hook-limits.ts'
import { readWhen, takeWhen } from '../commands/hooks/hook-trigger.ts'
import { describeRefusal, isRefusal } from '../commands/kit/errors.ts'
import { newTerms } from '../hooks/hook-terms.ts'
import { fireInstructions, registerHook, requireRegistrable } from '../hooks/registration.ts'
import type { Argument } from '../language/chain.ts'
import { parseHookChain } from '../language/hook-chain.ts'
import { refuseEatenDollar } from '../language/shell-dollar.ts'
import { type Hook, scrubHook } from '../stores/hooks.ts'
import { printableJson } from '../terminal/json-printer.ts'
import { runOneShot } from './one-shot.ts'
import { quoted, shellLine, word } from './shell-line.ts'

export type HookRequest =
  | { readonly op: 'list' }
  | {
      readonly op: 'create'
      readonly name: string
      readonly command: string
      readonly account?: string
      /** As typed, by the names of flags in camel case: `maxAge`. */
      readonly flags: Readonly<Record<string, string | boolean>>
    }
  | { readonly op: 'show' | 'rotate'; readonly id: string }
  | { readonly op: 'revoke'; readonly id: string | '--all' }

/** @returns the exit code */
export async function runHookRequest(request: HookRequest, { json }: { readonly json: boolean }): Promise<number> {
  if (!json) return runOneShot(asLine(request), { json: false })
  const [code, row] = await perform(request).then(
    (result) => [EXIT_CODE.ok, result] as const,
    (error: unknown) => [EXIT_CODE.failed, errorRow(error)] as const,
  )
  process.stdout.write(`${printableJson(row)}\n`)
  return code
}

async function perform(request: HookRequest): Promise<unknown> {
  const app = new App({ env: process.env, listen: 'none', events: quietEvents })
  try {
    await app.start()
    return await resultOf(request, app)
  } finally {
    await app.stop(0)
  }
}

function asLine(request: HookRequest): string {
  const texts = [
    request.op,
    ...('name' in request ? [request.name, request.command] : 'id' in request ? [request.id] : []),
  ]
  const pin = 'account' in request && request.account !== undefined ? [word('--account'), quoted(request.account)] : []
  const args = texts.map((each, index) => (index === 0 || each === '--all' ? word(each) : quoted(each)))
  return shellLine('hook', [...args, ...pin, ...(request.op === 'create' ? limitsOf(request) : [])])
}

function limitsOf({ flags }: Extract<HookRequest, { op: 'create' }>): readonly Argument[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    const flag = word(`--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)
    return typeof value === 'string' ? [flag, quoted(value)] : [flag]
  })
}

async function resultOf(request: HookRequest, { ports, audit }: App): Promise<unknown> {
  const record = (what: string, details: Readonly<Record<string, unknown>>) =>
    audit.record(what, details, { source: 'exec' }).catch(reportUnaudited)
  const changed = async (what: string, hook: Hook): Promise<Hook> => {
    const { id, name, command, account } = hook
    await record(what, { hookId: id, name, command, ...defined({ account }) })
    return hook
  }
  const shown = async (hook: Hook): Promise<unknown> => {
    await record('hook token shown', { hookId: hook.id, name: hook.name })
    return { ...scrubHook(hook), ...fireInstructions(hook, hook.secret) }
  }
  switch (request.op) {
    case 'list':
      return ports.hooks.list().map(scrubHook)
    case 'create': {
      const { name, command, account } = request
      const pin = defined({ account })
      const { rest, when } = takeWhen(limitsOf(request))
      const { change } = takeLimits(rest)
      refuseEatenDollar(parseHookChain(command), lookup)
      const plain = { name, command, ...pin, ...newTerms(change) }
      if (when !== undefined) await requireRegistrable(ports, lookup, plain)
      const fired = when && (await readWhen(ports, lookup, when, plain, Date.now()))
      return shown(await changed('hook create', await registerHook(ports, lookup, { ...plain, ...fired?.row })))
    }
    case 'show':
      return shown(ports.hooks.resolve(request.id))
    case 'rotate':
      return shown(await changed('hook rotate', await ports.hooks.rotate(request.id)))
    case 'revoke': {
      if (request.id !== '--all') return scrubHook(await changed('hook revoke', await ports.hooks.revoke(request.id)))
      const revoked = await ports.hooks.revokeAll()
      await record('hook revoke', { all: true, count: revoked })
      return { revoked }
    }
  }
}

/** What was asked for is done all the same. */
function reportUnaudited(error: unknown): void {
  if (!isRefusal(error)) throw error
  process.stderr.write(`this is not in the audit log: ${describeRefusal(error)}\n`)
}

/** @throws anything that is not a refusal: a bug */
function errorRow(error: unknown): unknown {
  if (!isRefusal(error)) throw error
  return { error: { code: error.code, message: error.message, ...defined({ hint: error.hint }) } }
}
