// From facts to findings: one line for each thing that a fire needs. Pure, and in the order in which a fire meets them: the process, its files,
// the port, the switches, the hook, its account, the venue.

import { describeGuarding, describeSignIn } from '../../commands/kit/lines.ts'
import { describePanic } from '../../commands/session/panic.ts'
import { describeConsole } from '../../commands/session/status.ts'
import { printable } from '../../language/printable.ts'
import { isCurrent } from '../../stores/sign-in.ts'
import type { AccountFacts, DoctorFacts, VenueFacts } from './facts.ts'

/** `ok`; `warn`: a fire trades, or may; `fails`: it does not. */
export type Verdict = 'ok' | 'warn' | 'fails'

export interface Finding {
  /** What was looked at: `port`, `account main`. */
  readonly check: string
  readonly verdict: Verdict
  /** A fact. */
  readonly what: string
  /** What to do next. */
  readonly next?: string
}

const ok = (check: string, what: string): Finding => ({ check, verdict: 'ok', what })

const warn = (check: string, what: string, next: string): Finding => ({ check, verdict: 'warn', what, next })

const fails = (check: string, what: string, next: string): Finding => ({ check, verdict: 'fails', what, next })

/** As `engines` in package.json has it. */
export const OLDEST_NODE = '20.19'

/** Below it, journals of a busy week may not fit. */
const LOW_BYTES = 100e6
/** Below it, the next journal may not fit. */
const FULL_BYTES = 5e6

export function judge(facts: DoctorFacts): readonly Finding[] {
  return [
    judgeNode(facts.nodeVersion),
    ...judgeDirectory(facts.directory),
    ...judgeFiles(facts),
    judgePort(facts),
    ...judgeService(facts),
    ...judgeConsole(facts),
    ...judgeMetrics(facts),
    ...judgeSwitches(facts),
    ...judgePanic(facts),
    ...judgeHooks(facts),
    ...facts.accounts.map((account) => judgeAccount(account, facts)),
    ...judgeFires(facts),
    ...judgeOrders(facts),
    ...judgeWork(facts),
    ...judgeSignIn(facts),
    ...judgeRecords(facts),
    ...facts.venues.map((venue) => judgeVenue(venue)),
  ]
}

function judgeNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split('.').map(Number)
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor)
  if (!isOld) return ok('node', `Node ${version}`)
  return fails('node', `Node ${version} is older than ${OLDEST_NODE}`, `install Node ${OLDEST_NODE} or newer`)
}

function judgeDirectory({ path, health }: DoctorFacts['directory']): readonly Finding[] {
  const shownPath = printable(path, 300)
  switch (health.is) {
    case 'missing':
      return [warn('directory', `${shownPath} does not exist yet`, 'start hookline once: it makes the directory')]
    case 'unusable':
      return [
        fails(
          'directory',
          `${shownPath} cannot be used: ${printable(health.reason, 200)}`,
          'fix that, or set HOOKLINE_CONFIG_DIR to a directory of your own',
        ),
      ]
    case 'usable':
      return [
        health.isPrivate
          ? ok('directory', `${shownPath} is private to you`)
          : warn('directory', `other users can read ${shownPath}`, `run \`chmod 700 ${shownPath}\``),
        ...(health.freeBytes === undefined ? [] : [judgeSpace(health.freeBytes)]),
      ]
  }
}

function judgeSpace(bytes: number): Finding {
  const what = `${Math.floor(bytes / 1e6)} MB free`
  if (bytes < FULL_BYTES) return fails('disk', `${what}: each order is recorded before it is sent`, 'free some space')
  return bytes < LOW_BYTES ? warn('disk', what, 'free some space') : ok('disk', what)
}

/** Files without which a fire finds no hook, no account or no leave to trade. */
const NEEDED = /[\\/](?:config|hooks|accounts|guards|panic|stops)\.json$/

function judgeFiles({ problems }: DoctorFacts): readonly Finding[] {
  if (problems.length === 0) return [ok('files', 'all readable')]
  return problems.map(({ path, line, message, kind }) => {
    const where = `${printable(path, 300)}${line === undefined ? '' : `, line ${line}`}: ${printable(message, 300)}`
    // A newer hookline's file is read; a bad row costs that row alone.
    const isNeeded = NEEDED.test(path) && (kind === 'file' || kind === 'switch')
    return isNeeded ? fails('files', where, 'fix that file') : warn('files', where, 'fix that file')
  })
}

function judgePort({ port, service }: DoctorFacts): Finding {
  if (port.is === 'none') {
    return fails(
      'port',
      'nothing listens on 127.0.0.1:53219',
      'run `hookline service install`, or leave `hookline` open',
    )
  }
  if (port.is === 'another') {
    const who = port.who === undefined ? 'another program' : printable(port.who, 80)
    return fails(
      'port',
      `127.0.0.1:53219 is used by ${who}, which does not answer as hookline does`,
      'end it, even if it is a hookline that hangs',
    )
  }
  if (!port.isOurs) {
    return fails('port', `the hookline of another user (pid ${port.pid}) has 127.0.0.1:53219`, 'end that one')
  }
  const which = port.pid === service?.pid ? 'the service' : 'hookline'
  return ok('port', `${which} listens on 127.0.0.1:53219 (pid ${port.pid})`)
}

/** No fire needs it. Where it is not served for want of a hookline, the port's line has said so. */
function judgeConsole({ console, port }: DoctorFacts): readonly Finding[] {
  const what = describeConsole(console)
  switch (console.state) {
    case 'held':
      return [warn('console', what, 'end that program: the console is served as soon as the port is free')]
    case 'unknown':
      return [warn('console', what, 'fix that file')]
    case 'not-served':
      return port.is === 'hookline' && port.isOurs
        ? [warn('console', 'not served, though hookline runs', 'see hookline.log')]
        : []
    default:
      return [ok('console', what)]
  }
}

/** No fire needs them; they are served by the hookline that has the port. */
function judgeMetrics({ metrics, port }: DoctorFacts): readonly Finding[] {
  if (metrics === undefined) return []
  const address = printable(metrics.address, 120)
  const who =
    metrics.tokenPath === undefined ? 'this user' : `the bearer of the token in ${printable(metrics.tokenPath, 300)}`
  if (metrics.isServed) return [ok('metrics', `${address} is open to ${who}`)]
  if (port.is !== 'hookline' || !port.isOurs) return []
  return [
    warn('metrics', `nothing listens on ${address}`, 'restart hookline: it reads `metrics.listen` when it starts'),
  ]
}

function judgeService({ service, port }: DoctorFacts): readonly Finding[] {
  if (service === undefined) return []
  const findings: Finding[] = []
  if (service.state !== 'running') {
    findings.push(
      warn('service', `it is ${service.state}`, 'run `hookline service logs`, then `hookline service install`'),
    )
  } else if (port.is === 'hookline' && service.pid !== undefined && port.pid !== service.pid) {
    findings.push(
      warn('service', `it waits for the port, which pid ${port.pid} has`, 'end that process, or leave it open'),
    )
  }
  if (!service.isCurrent) {
    findings.push(warn('service', 'its file is not what this hookline would write', 'run `hookline service install`'))
  }
  if (service.isLingering === false) {
    findings.push(warn('service', 'it ends when you log out', 'run `loginctl enable-linger`'))
  }
  return findings.length === 0 ? [ok('service', 'it runs')] : findings
}

function judgeSwitches({ listener }: DoctorFacts): readonly Finding[] {
  const off = (name: string, what: string): Finding =>
    fails('switches', `listener.${name} is off: ${what}`, `set listener.${name} to true in config.json`)
  const { enabled, remoteExec } = listener
  if (enabled && remoteExec) return [ok('switches', 'listener.enabled and listener.remoteExec are on')]
  return [
    ...(enabled ? [] : [off('enabled', 'no process listens')]),
    ...(remoteExec ? [] : [off('remoteExec', 'hooks do not fire')]),
  ]
}

function judgePanic({ panic }: DoctorFacts): readonly Finding[] {
  if (panic === undefined) return [ok('panic', 'off')]
  return [fails('panic', describePanic(panic), 'type `resume` at the prompt of hookline')]
}

function judgeHooks({ hooks, accounts, defaultAccount }: DoctorFacts): readonly Finding[] {
  const known = new Set(accounts.map(({ name }) => name.toLowerCase()))
  const findings: Finding[] = []
  if (!known.has(defaultAccount.toLowerCase())) {
    const isUsed = hooks.some(({ account }) => account === undefined)
    const what = `the default account ${printable(defaultAccount, 40)} does not exist`
    findings.push((isUsed ? fails : warn)('hooks', what, 'type `account use <name>` at the prompt'))
  }
  for (const { name, account } of hooks) {
    if (account === undefined || known.has(account.toLowerCase())) continue
    const what = `hook ${printable(name, 64)} trades on account ${printable(account, 40)}, which was removed`
    findings.push(fails('hooks', what, `add that account again, or \`hook revoke ${printable(name, 64)}\``))
  }
  if (hooks.length === 0)
    findings.push(warn('hooks', 'there are none', 'make one: `hookline hook create <name> "<line>"`'))
  return findings.length > 0 ? findings : [ok('hooks', hooks.length === 1 ? '1 hook' : `${hooks.length} hooks`)]
}

/** Named above, once for all hooks. */
const OF_ALL: ReadonlySet<string> = new Set([
  'panic',
  'switched-off',
  'halted',
  'reducing',
  'simulated',
  'unknown-account',
])

function judgeFires({ fires }: DoctorFacts): readonly Finding[] {
  return fires.flatMap(({ hook, problems }) => {
    const name = printable(hook, 64)
    return problems
      .filter(({ code }) => !OF_ALL.has(code))
      .map(({ code, text, hint }) => {
        const next = NEXT[code] ?? printable(hint ?? 'run `hookline hook test <name>` for all of it', 200)
        const judged = PASSING.has(code) ? warn : fails
        return judged(`hook ${name}`, printable(text, 300), next.replace('<name>', name))
      })
  })
}

/** A hook that has just fired waits as it was told to. */
const PASSING: ReadonlySet<string> = new Set(['cooldown', 'rate'])

const NEXT: Readonly<Record<string, string>> = {
  cooldown: 'wait until it is over, or type `hook edit <name> --no-cooldown` at the prompt',
  rate: 'wait, or type `hook edit <name> --no-rate` at the prompt',
  // Not the command that is spelt most like it: an alias that is gone may have been anything.
  'unknown-command': 'define that alias again, or change what the hook runs with `hook edit <name>`',
  paused: 'type `hook resume <name>` at the prompt',
  failing: 'see `hook logs <name>`, then type `hook resume <name>` at the prompt',
  once: 'type `hook resume <name>` at the prompt: it may run once more',
  dry: 'type `hook edit <name> --no-dry` at the prompt',
  window: 'wait for its window, or type `hook edit <name> --no-window` at the prompt',
}

/** What was left open holds up entries of its symbol, until a process takes it over and the venue has said what came of it. */
function judgeOrders({ leftOpen, port }: DoctorFacts): readonly Finding[] {
  if ('error' in leftOpen) {
    return [fails('orders', printable(leftOpen.error, 300), 'fix orders.jsonl: no order is sent without it')]
  }
  if (leftOpen.length === 0) return [ok('orders', 'a hookline follows every open order')]
  const names = leftOpen.map((name) => printable(name, 40)).join(', ')
  const next =
    port.is === 'hookline'
      ? 'wait a minute, then run `hookline doctor` again'
      : 'run `hookline service install`, or leave `hookline` open: it takes them over'
  return [warn('orders', `orders from an exited process are unmanaged on ${names}`, next)]
}

/** Tasks and the copier need a process that goes on, as a fire does. */
function judgeWork({ tasks: { running, driver }, engine }: DoctorFacts): readonly Finding[] {
  const tasks = running === 1 ? '1 task' : `${running} tasks`
  const next = 'run `hookline service install`, or leave `hookline` open'
  return [
    ...(running === 0
      ? []
      : [
          driver === undefined
            ? warn('tasks', `${tasks} under way, and no process drives them`, next)
            : ok('tasks', `${tasks} under way, driven by pid ${driver}`),
        ]),
    ...(engine.enabled === 0
      ? []
      : [
          engine.isRunning
            ? ok('copier', 'its engine runs')
            : warn('copier', 'its engine does not run', 'run `hookline cross-trade run`'),
        ]),
  ]
}

/** No fire needs it. */
function judgeRecords({ audit, leftKeys }: DoctorFacts): readonly Finding[] {
  return [
    ...(audit === undefined ? [] : [warn('audit', printable(audit, 300), '`audit verify` shows where')]),
    ...leftKeys.map((path) =>
      warn(
        'keys',
        `${printable(path, 300)} has keys in plain text that no account uses`,
        '`hookline` erases it once the keys of that account can be read; else remove it',
      ),
    ),
  ]
}

function judgeSignIn({ signIn, now }: DoctorFacts): readonly Finding[] {
  if (signIn === undefined) return []
  const what = describeSignIn(signIn, now)
  return [isCurrent(signIn, now) ? ok('sign-in', what) : warn('sign-in', what, 'run `hookline login`')]
}

/** Venues refuse a signature whose time differs by more. */
const CLOCK_MS = 1_000

/** An account that no fire uses fails nothing. */
function judgeAccount(account: AccountFacts, facts: DoctorFacts): Finding {
  const { name, exchange, guarding, keys } = account
  const shownName = printable(name, 40)
  const check = `account ${shownName}`
  const refuse = isUsedByFires(name, facts) ? fails : warn
  if (guarding.state === 'halted') {
    return refuse(check, `${describeGuarding(guarding)}: nothing is opened`, 'type `resume` at the prompt of hookline')
  }
  if (typeof keys === 'object') return judgeKeys(check, keys, facts, refuse)
  // Panic has a line of its own.
  if (guarding.simulated || (guarding.state !== 'active' && guarding.panic !== 'alone')) {
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
  return ok(check, `${printable(exchange, 40)}${keys === 'not-needed' ? '' : ', keys found'}`)
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
  if (isService && service.hasPassphrase === true) return ok(check, 'the service has the passphrase of the vault')
  const next = 'give the service the passphrase: docs/service.md; at a prompt `vault unlock` does'
  if (isService && service.hasPassphrase === false) {
    return refuse(check, `${what}, and the service does not have its passphrase`, next)
  }
  return warn(check, `${what} here; whether it is in the process that listens is not known`, next)
}

function judgeVenue({ account, latencyMs, clockDifferenceMs, error }: VenueFacts): Finding {
  const check = `venue of ${printable(account, 40)}`
  if (error !== undefined) return fails(check, printable(error, 300), 'run `hookline account check` for all of it')
  const latency = latencyMs === undefined ? 'it answers' : `it answers in ${latencyMs} ms`
  if (clockDifferenceMs === undefined) return ok(check, latency)
  const clock = `the clocks differ by ${Math.abs(Math.round(clockDifferenceMs))} ms`
  if (Math.abs(clockDifferenceMs) > CLOCK_MS)
    return fails(check, `${latency}, but ${clock}`, 'set the clock of this machine')
  return ok(check, `${latency}, ${clock}`)
}
