// Every file that a running hookline reads: an old content and a new one, and which of them it serves.
import { randomBytes, randomUUID } from 'node:crypto'
import { readPaperAccount } from '../../harness/files/paper-account.ts'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { exec, type RunningHookline } from '../../harness/process/hookline.ts'
import { ask } from '../../harness/process/piped-repl.ts'
import { crossTradeConfig, taskRow } from '../../harness/wire/wire-rows.ts'
import { ORIGIN, WsClient } from '../../harness/wire/ws-client.ts'
import { encodePaperState } from '../../src/exchanges/paper/state-file.ts'
import { fire } from './fire-hook.ts'

type Version = 'old' | 'new'

/** `nothing`: as if there were no file. */
export type Served = Version | 'nothing'

export interface StoreFile {
  readonly name: string
  readonly content: Readonly<Record<Version, string>>
  /** Read at the start only: the old content is served whatever happens to the file. */
  readonly isFixed?: true
  served(reader: Reader): Promise<Served>
}

/** Who finds out what is served. */
export interface Reader {
  readonly repl: RunningHookline
  /** An approved session. */
  readonly page: WsClient
}

/** Trusted by both contents of `trusted-clients.json`. */
export const TRUSTED_ID = randomUUID()

export async function makeStoreFiles(): Promise<readonly StoreFile[]> {
  return [
    {
      name: 'config.json',
      content: both((version) => ({ listener: { accountSync: version === 'new' } })),
      served: typed('listener', 'accountSync  off', 'accountSync  on'),
    },
    hooksFile(),
    {
      name: 'accounts.json',
      content: both((version) => ({ accounts: [accountRow('paper'), accountRow(`${version}-account`)] })),
      served: typed('account', 'old-account', 'new-account'),
    },
    {
      name: 'trusted-clients.json',
      content: both((version) => ({
        clients: [{ clientId: TRUSTED_ID, label: `${version}-label`, origin: ORIGIN, approvedAt: 1 }],
      })),
      served: typed('clients', 'old-label', 'new-label'),
    },
    {
      name: 'vars.json',
      content: both((version) => ({ v: `${version}-value` })),
      served: typed('echo @v', 'old-value', 'new-value'),
    },
    {
      name: 'aliases.json',
      content: both((version) => ({ short: `echo ${version}-alias` })),
      served: typed('short', 'old-alias', 'new-alias'),
    },
    { name: 'paper-paper.json', content: await paperStates(), served: typed('positions', ' 60 ', ' 120 ') },
    {
      name: 'tasks.json',
      content: both((version) => ({ version: 1, tasks: [taskRow({ kind: `${version}-task` })] })),
      served: seen('tasks', 'old-task', 'new-task'),
    },
    {
      name: 'cross-trade.json',
      content: both((version) => ({ configs: [crossTradeConfig({ masterAccount: `${version}-master` })] })),
      served: seen('cross-trade', 'old-master', 'new-master'),
    },
    identityFile(),
  ]
}

function both(contentOf: (version: Version) => unknown): Readonly<Record<Version, string>> {
  return { old: JSON.stringify(contentOf('old'), null, 2), new: JSON.stringify(contentOf('new'), null, 2) }
}

function which(text: string, old: string, next: string): Served {
  return text.includes(next) ? 'new' : text.includes(old) ? 'old' : 'nothing'
}

/** Told by what the operator reads after a line. */
function typed(line: string, old: string, next: string): StoreFile['served'] {
  return async ({ repl }) => which(await ask(repl, line), old, next)
}

/** Told by the snapshot that a page gets. */
function seen(topic: 'tasks' | 'cross-trade', old: string, next: string): StoreFile['served'] {
  return async ({ page }) => {
    page.send({ t: 'unsubscribe', topics: [topic] })
    await page.settled()
    while (page.untaken.some(({ t }) => t === `state:${topic}`)) await page.nextFrame(`state:${topic}`)
    page.send({ t: 'subscribe', topics: [topic] })
    return which(JSON.stringify(await page.nextFrame(`state:${topic}`)), old, next)
  }
}

function accountRow(name: string) {
  return { name, exchange: 'paper', createdAt: 1, updatedAt: 1 }
}

/** Told by which of two tokens fires. */
function hooksFile(): StoreFile {
  const id = randomBytes(16).toString('hex')
  const secrets = { old: randomBytes(16).toString('hex'), new: randomBytes(16).toString('hex') }
  const url = `http://127.0.0.1:53219/hook/${id}`
  return {
    name: 'hooks.json',
    content: both((version) => ({
      hooks: [{ id, name: 'alert', secret: secrets[version], command: 'echo seen', createdAt: 1 }],
    })),
    async served() {
      if ((await fire({ url, token: secrets.new })).status === 200) return 'new'
      return (await fire({ url, token: secrets.old })).status === 200 ? 'old' : 'nothing'
    },
  }
}

/** Told by the welcome of another session. */
function identityFile(): StoreFile {
  const listenerId = randomUUID()
  return {
    name: 'listener.json',
    content: both((version) => ({ listenerId: version === 'old' ? listenerId : randomUUID(), createdAt: 1 })),
    isFixed: true,
    async served() {
      const page = await WsClient.hello({ clientId: TRUSTED_ID })
      const welcome = await page.nextFrame('welcome')
      await page.leave()
      return welcome.listenerId === listenerId ? 'old' : 'new'
    },
  }
}

/** After one order and after two. */
async function paperStates(): Promise<Readonly<Record<Version, string>>> {
  const directory = tempDirectory()
  const buy = async () => {
    await exec(directory, 'buy 60.0 DOGEUSDT')
    // Whole in one file, as the changes beside it are of another time.
    const state = readPaperAccount(directory, 'paper')
    if (state === undefined) throw new Error('the account was not written')
    const { journal: _, ...whole } = state
    return encodePaperState(whole)
  }
  return { old: await buy(), new: await buy() }
}
