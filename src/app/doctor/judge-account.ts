// What keeps the orders of one account from its venue: a guard, keys, the venue itself.
import { describeGuarding } from '../../commands/kit/lines.ts'
import { printable } from '../../language/printable.ts'
import type { AccountFacts, DoctorFacts, VenueFacts } from './facts.ts'
import { type Finding, fails, ok, warn } from './finding.ts'

/** Beyond that, venues refuse what was signed. */
const CLOCK_MS = 1_000

/** An account that no fire uses fails nothing. */
export function judgeAccount(account: AccountFacts, facts: DoctorFacts): Finding {
  const { name, exchange, guarding, keys } = account
  const shownName = printable(name, 40)
  const check = `account ${shownName}`
  const refuse = isUsedByFires(name, facts) ? fails : warn
  if (guarding.state === 'halted') {
    return refuse(check, `${describeGuarding(guarding)}: nothing is opened`, 'type `resume` at the prompt of hookline')
  }
  if (typeof keys === 'object') return judgeKeys(check, keys, facts, refuse)
  // Of panic its own line tells.
  if (guarding.simulated || (guarding.state !== 'active' && guarding.panic !== true)) {
    return refuse(
      check,
      `${describeGuarding(guarding)}`,
      `type \`${guarding.simulated ? 'sim off' : 'resume'}\` at the prompt`,
    )
  }
  if (keys === 'in-environment' && facts.service !== undefined) {
    return warn(
      check,
      'its keys are in the environment of this shell, which the service does not have',
      'keep them in the vault or in a file: docs/accounts.md',
    )
  }
  return ok(check, `${printable(exchange, 40)}${keys === 'not-needed' ? '' : ', keys are there'}`)
}

function isUsedByFires(name: string, { hooks, defaultAccount }: DoctorFacts): boolean {
  return hooks.some(({ account = defaultAccount }) => account.toLowerCase() === name.toLowerCase())
}

/** Keys in the environment, and a vault that was unlocked, belong to one process: this is not the one that listens. */
function judgeKeys(
  check: string,
  { code, message, hint = 'see docs/accounts.md' }: Exclude<AccountFacts['keys'], string>,
  { service, port }: DoctorFacts,
  refuse: typeof fails,
): Finding {
  const what = printable(message, 200)
  if (code !== 'vault-locked') return refuse(check, what, printable(hint, 200))
  const isService = service !== undefined && (port.is !== 'hookline' || port.pid === service.pid)
  if (isService && service.hasPassphrase === true) return ok(check, 'the service is given the passphrase of the vault')
  const next = 'give the service the passphrase: docs/service.md; at a prompt `vault unlock` does'
  if (isService && service.hasPassphrase === false) {
    return refuse(check, `${what}, and the service is not given its passphrase`, next)
  }
  return warn(check, `${what} here; whether it is in the process that listens is not known`, next)
}

export function judgeVenue({ account, latencyMs, clockDifferenceMs, error }: VenueFacts): Finding {
  const check = `venue of ${printable(account, 40)}`
  if (error !== undefined) return fails(check, printable(error, 300), 'run `hookline account check` for all of it')
  const latency = latencyMs === undefined ? 'it answers' : `it answers in ${latencyMs} ms`
  if (clockDifferenceMs === undefined) return ok(check, latency)
  const clock = `the clocks differ by ${Math.abs(Math.round(clockDifferenceMs))} ms`
  if (Math.abs(clockDifferenceMs) > CLOCK_MS)
    return fails(check, `${latency}, but ${clock}`, 'set the clock of this machine')
  return ok(check, `${latency}, ${clock}`)
}
