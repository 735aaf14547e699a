// Looks: at files, the port, keys, the service, and, where it is asked for, the venues. Nothing is changed, but a probe that is removed again.

import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { defined } from '../../base/defined.ts'
import type { Credentials } from '../../credentials/credentials.ts'
import { CredentialsError } from '../../credentials/keys.ts'
import { askHolderPid } from '../../listener/holder-pid.ts'
import { LISTENER_HOST, LISTENER_PORT } from '../../protocol/address.ts'
import type { AccountRow } from '../../stores/accounts.ts'
import { probeDirectory } from '../../stores/directory.ts'
import { StoreError } from '../../stores/store-error.ts'
import { createOrderJournal, openOrderFile } from '../../trading/order-journal.ts'
import { askConsole } from '../console-server.ts'
import { openCredentials } from '../open-credentials.ts'
import { openStores, type Stores, storeProblems } from '../open-stores.ts'
import type { AccountFacts, DoctorFacts, FireFacts, KeyFacts, PortHolder, ServiceFacts, VenueFacts } from './facts.ts'

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

export async function gather(ports: GatherPorts): Promise<DoctorFacts> {
  const { directory } = ports
  const stores = openStores(directory)
  const [health, port, service, console] = await Promise.all([
    ...([probeDirectory(directory), findHolder(ports), ports.service()] as const),
    askConsole({ stores, isServing: false }),
  ])
  const problems = storeProblems(stores)
  const { listener, defaultAccount } = stores.config.read()
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
  if (!(await accepts())) return { is: 'nobody' }
  const who = await nameHolder(ask)
  return { is: 'another', ...defined({ who }) }
}

/** Another user's process may be asked for, and not signalled. */
function isOurs(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // One that is gone meanwhile, or lives in a space of pids of its own, is nobody else's.
    return (error as NodeJS.ErrnoException).code !== 'EPERM'
  }
}

async function accepts(): Promise<boolean> {
  const socket = connect(LISTENER_PORT, LISTENER_HOST)
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
  const said = await ask('ss', '-Hltnp', `sport = :${LISTENER_PORT}`)
  const [, name, pid] = /users:\(\("([^"]{1,40})",pid=(\d+)/.exec(said ?? '') ?? []
  return name === undefined ? undefined : `${name}, pid ${pid}`
}
