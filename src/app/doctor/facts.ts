// The facts that the doctor judges, and how they are gathered.
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { defined } from '../../base/defined.ts'
import type { ConsoleStatus } from '../../commands/kit/data.ts'
import type { Credentials } from '../../credentials/credentials.ts'
import { CredentialsError } from '../../credentials/keys.ts'
import { askHolderPid } from '../../listener/holder-pid.ts'
import { LISTENER_HOST, LISTENER_PORT } from '../../protocol/address.ts'
import type { AccountRow } from '../../stores/accounts.ts'
import type { Config } from '../../stores/config.ts'
import { type DirectoryHealth, probeDirectory } from '../../stores/directory.ts'
import type { Guarding } from '../../stores/guards.ts'
import { type MetricsAddress, metricsTokenPath, showMetricsAddress } from '../../stores/metrics.ts'
import type { Panic } from '../../stores/panic.ts'
import type { SignInRow } from '../../stores/sign-in.ts'
import { StoreError, type StoreProblem } from '../../stores/store-error.ts'
import { createOrderJournal, openOrderFile } from '../../trading/order-journal.ts'
import { openCredentials } from '../account-keys.ts'
import { askConsole } from '../console-server.ts'
import { openStores, type Stores, storeProblems } from '../open-stores.ts'

type PortHolder =
  | { readonly is: 'hookline'; readonly pid: number; readonly isOurs: boolean }
  /** `who`: `nginx, pid 12`, where the system says. */
  | { readonly is: 'another'; readonly who?: string }
  | { readonly is: 'none' }

export interface ServiceFacts {
  readonly state: 'running' | 'starting' | 'failed' | 'stopped'
  readonly pid?: number
  readonly isCurrent: boolean
  /** Whether it goes on without a login; undefined: not known. */
  readonly isLingering?: boolean
  /** Whether a file or a credential gives it the passphrase of the vault; undefined: not known. */
  readonly hasPassphrase?: boolean
}

/** Of keys: had, not needed, or why not. Those in the environment are of this process, and maybe of no other. */
type KeyFacts =
  | 'not-needed'
  | 'there'
  | 'in-environment'
  | { readonly code: string; readonly message: string; readonly hint?: string }

export interface AccountFacts {
  readonly name: string
  readonly exchange: string
  readonly keys: KeyFacts
  readonly guarding: Guarding
}

/** What a venue answered. */
export interface VenueFacts {
  readonly account: string
  readonly latencyMs?: number
  readonly clockDifferenceMs?: number
  /** Why it, or the keys, cannot be used. */
  readonly error?: string
}

/** What a fire of a hook would come to now. */
export interface FireFacts {
  readonly hook: string
  /** Empty: it would trade, as far as was tried. */
  readonly problems: readonly { readonly code: string; readonly text: string; readonly hint?: string }[]
}

interface MetricsFacts {
  readonly address: string
  /** Of an address: the file of its token. */
  readonly tokenPath?: string
  readonly isServed: boolean
}

interface EngineFacts {
  /** Rows that copy. */
  readonly enabled: number
  readonly isRunning: boolean
}

export interface DoctorFacts {
  readonly nodeVersion: string
  readonly directory: { readonly path: string; readonly health: DirectoryHealth }
  readonly problems: readonly StoreProblem[]
  readonly listener: Config['listener']
  readonly port: PortHolder
  readonly console: ConsoleStatus
  /** Where figures are to be read, and whether something listens there; undefined: `metrics.listen` is not set. */
  readonly metrics?: MetricsFacts
  /** undefined: none is installed, or there is no manager. */
  readonly service?: ServiceFacts
  readonly panic: Panic | undefined
  readonly defaultAccount: string
  readonly accounts: readonly AccountFacts[]
  readonly hooks: readonly { readonly name: string; readonly account?: string }[]
  readonly fires: readonly FireFacts[]
  /** ms since the epoch. */
  readonly now: number
  readonly tasks: {
    readonly running: number
    /** The process that drives them; undefined: none does. */
    readonly driver?: number
  }
  readonly engine: EngineFacts
  /** Accounts on which an ended process has left orders, or why the journal of orders cannot be read. */
  readonly leftOpen: readonly string[] | { readonly error: string }
  /** What is wrong with the audit log; undefined: nothing. */
  readonly audit: string | undefined
  /** Files with keys in plain text that no account uses. */
  readonly leftKeys: readonly string[]
  /** undefined: no one is signed in. */
  readonly signIn: SignInRow | undefined
  /** Empty unless asked for. */
  readonly venues: readonly VenueFacts[]
}

interface GatherPorts {
  /** A copy: keys are taken out of it. */
  readonly env: NodeJS.ProcessEnv
  readonly directory: string
  /** Runs a program; undefined: there is none, or it failed. */
  readonly ask: (tool: string, ...args: readonly string[]) => Promise<string | undefined>
  readonly service: () => Promise<ServiceFacts | undefined>
  /** Absent: venues are not asked. */
  readonly venue?: (account: string) => Promise<VenueFacts>
  /** What a fire of each hook would come to. Absent: not tried. */
  readonly fires?: (withVenues: boolean) => Promise<readonly FireFacts[]>
}

/** Nothing is changed, but a probe of the directory that is removed again. Venues are asked on request. */
export async function gather(ports: GatherPorts): Promise<DoctorFacts> {
  const { directory } = ports
  const stores = openStores(directory)
  const [health, port, service, console] = await Promise.all([
    ...([probeDirectory(directory), findHolder(ports), ports.service()] as const),
    askConsole({ stores, isServing: false }),
  ])
  const problems = storeProblems(stores)
  const { listener, defaultAccount, metrics } = stores.config.read()
  const rows = health.is === 'missing' ? [] : stores.accounts.list()
  const accounts = await Promise.all(rows.map((row) => factsOf(row, stores, ports)))
  const hooks = stores.hooks.list().map(({ name, account }) => ({ name, ...defined({ account }) }))
  const canTry = health.is === 'usable' && hooks.length > 0 && problems.every(({ kind }) => kind === 'row')
  const used = new Set([defaultAccount, ...hooks.flatMap(({ account }) => account ?? [])])
  return {
    nodeVersion: process.versions.node,
    directory: { path: directory, health },
    problems,
    listener,
    port,
    console,
    panic: stores.panic.read(),
    defaultAccount,
    hooks,
    now: Date.now(),
    ...(service && { service }),
    ...(metrics.listen && { metrics: await metricsFacts(metrics.listen, directory) }),
    // The first start makes the account for paper.
    accounts: accounts.length === 0 && problems.length === 0 ? [paperToBe(stores)] : accounts,
    tasks: tasksIn(stores),
    engine: {
      enabled: stores.crossTrade.list().filter(({ enabled }) => enabled).length,
      isRunning: stores.crossTradeEngine.read().running,
    },
    fires: canTry && ports.fires !== undefined ? await ports.fires(ports.venue !== undefined) : [],
    signIn: stores.signInFile.read(),
    audit: auditFault(stores),
    leftKeys: credentialsOf(stores, ports)
      .leftFiles(rows)
      .map(({ path }) => path),
    leftOpen: health.is === 'usable' ? await findLeftOpen(directory) : [],
    venues:
      health.is !== 'usable'
        ? []
        : await askVenues(
            rows.filter(({ name }) => used.has(name)),
            ports,
          ),
  }
}

async function metricsFacts(listen: MetricsAddress, directory: string): Promise<MetricsFacts> {
  const address = showMetricsAddress(listen)
  if (listen.kind === 'socket') return { address, isServed: await accepts({ path: listen.path }) }
  const { host, port } = listen
  return { address, tokenPath: metricsTokenPath(directory), isServed: await accepts({ host, port }) }
}

function auditFault({ auditLog }: Stores): string | undefined {
  try {
    const verdict = auditLog.verify()
    if (verdict.whole) return undefined
    return verdict.line === undefined ? verdict.why : `line ${verdict.line} ${verdict.why}`
  } catch (error) {
    if (error instanceof StoreError) return error.message
    throw error
  }
}

function credentialsOf(stores: Stores, { env, directory }: GatherPorts): Credentials {
  return openCredentials({ env: { ...env }, directory, file: stores.vaultFile })
}

async function findLeftOpen(directory: string): Promise<DoctorFacts['leftOpen']> {
  const journal = createOrderJournal(openOrderFile(join(directory, 'orders.jsonl')), { onProblem: () => {} })
  try {
    return await journal.accountsLeft()
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return { error: error.message }
  } finally {
    await journal.close()
  }
}

function tasksIn({ tasks, tasksDriver }: Stores): DoctorFacts['tasks'] {
  const running = tasks.list().filter(({ status }) => status === 'running').length
  const driver = tasksDriver.holder()?.pid
  return { running, ...defined({ driver }) }
}

function paperToBe({ guards }: Stores): AccountFacts {
  return { name: 'paper', exchange: 'paper', keys: 'not-needed', guarding: guards.read('paper') }
}

async function factsOf(row: AccountRow, stores: Stores, ports: GatherPorts): Promise<AccountFacts> {
  const { name, exchange } = row
  return { name, exchange, keys: await keysOf(row, stores, ports), guarding: stores.guards.read(name) }
}

async function keysOf(row: AccountRow, stores: Stores, ports: GatherPorts): Promise<KeyFacts> {
  if (row.exchange === 'paper') return 'not-needed'
  try {
    await credentialsOf(stores, ports).resolveKeys(row)
    return row.credentials?.from === 'environment' ? 'in-environment' : 'there'
  } catch (error) {
    if (!(error instanceof CredentialsError || error instanceof StoreError)) throw error
    const { code, message, hint } = error
    return { code, message, ...defined({ hint }) }
  }
}

async function askVenues(rows: readonly AccountRow[], { venue }: GatherPorts): Promise<readonly VenueFacts[]> {
  if (venue === undefined) return []
  const facts: VenueFacts[] = []
  // One after another: each is a line of its own in the audit log.
  for (const { name, exchange } of rows) if (exchange !== 'paper') facts.push(await venue(name))
  return facts
}

async function findHolder({ ask }: GatherPorts): Promise<PortHolder> {
  const pid = await askHolderPid()
  if (pid !== undefined) return { is: 'hookline', pid, isOurs: isOurs(pid) }
  if (!(await accepts({ host: LISTENER_HOST, port: LISTENER_PORT }))) return { is: 'none' }
  const who = await nameHolder(ask)
  return { is: 'another', ...defined({ who }) }
}

/** Another user's process may be asked for, and not signalled. */
function isOurs(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // One that is gone meanwhile, or lives in a space of pids of its own, is no one else's.
    return (error as NodeJS.ErrnoException).code !== 'EPERM'
  }
}

async function accepts(
  place: { readonly host: string; readonly port: number } | { readonly path: string },
): Promise<boolean> {
  const socket = connect(place)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** `nginx, pid 12`. */
async function nameHolder(ask: GatherPorts['ask']): Promise<string | undefined> {
  const listing = await ask('ss', '-Hltnp', `sport = :${LISTENER_PORT}`)
  const [, name, pid] = /users:\(\("([^"]{1,40})",pid=(\d+)/.exec(listing ?? '') ?? []
  return name === undefined ? undefined : `${name}, pid ${pid}`
}
