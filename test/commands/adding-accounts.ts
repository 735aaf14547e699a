// A person who adds accounts with keys, and venues that say what they are told to.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { answering } from '../../harness/commands/answering.ts'
import { type CommandSession, createSession, type SessionOptions } from '../../harness/commands/command-session.ts'
import { createScriptedMarket } from '../../harness/venues/scripted-market.ts'
import { accountFamily } from '../../src/commands/account/account.ts'
import { commands } from '../../src/commands/catalogue.ts'
import type { CommandPorts, VenueToTry } from '../../src/commands/kit/ports.ts'
import { type CommandLookup, createCommandLookup } from '../../src/commands/kit/resolve.ts'
import type { Keys } from '../../src/credentials/keys.ts'
import type { AccessReport } from '../../src/exchange/exchange.ts'
import { allVenues } from '../../src/exchanges/venues.ts'
import type { AccountRow } from '../../src/stores/accounts.ts'

export const PASSPHRASE = 'correct horse battery'
export const KEY = 'KEYofthetest'
export const SECRET = 'SECRETofthetest'

/** Counts how often limits were asked for, and kept. */
export function countedLimits() {
  const counts = { asked: 0, kept: 0 }
  const askLimits = async () => {
    counts.asked += 1
    return async () => {
      counts.kept += 1
    }
  }
  return { counts, askLimits }
}

export function lookupOf(askLimits?: () => Promise<() => Promise<void>>): CommandLookup {
  const account = accountFamily(allVenues, askLimits)
  return createCommandLookup(() => commands.map((command) => (command.name === 'account' ? account : command)))
}

interface Tried {
  readonly row: AccountRow
  readonly keys: Keys
  closed: boolean
}

/** A venue that says what it is told to. */
function venueThat(report: () => Promise<AccessReport>, tried: Tried[] = []): CommandPorts['tryAccount'] {
  return async (row, keys): Promise<VenueToTry> => {
    const one: Tried = { row, keys, closed: false }
    tried.push(one)
    const { exchange } = createScriptedMarket()
    return Object.assign(Object.create(exchange) as VenueToTry, {
      checkAccess: report,
      fetchBalances: () => exchange.fetchBalances(),
      close: async () => {
        one.closed = true
      },
    })
  }
}

export const GOOD: AccessReport = { mayTrade: true, mayWithdraw: false, positionMode: 'one-way', remarks: [] }

interface Stage {
  readonly session: CommandSession
  readonly asked: readonly string[]
  readonly tried: readonly Tried[]
}

export async function staged(
  answers: readonly string[],
  { report = async () => GOOD, askLimits, ...options }: SessionOptions & StageOptions = {},
): Promise<Stage> {
  const terminal = answering(...answers)
  const tried: Tried[] = []
  const lookup = lookupOf(askLimits)
  const session = await createSession({ terminal, lookup, tryAccount: venueThat(report, tried), ...options })
  return { session, asked: terminal.asked, tried }
}

interface StageOptions {
  readonly report?: () => Promise<AccessReport>
  readonly askLimits?: () => Promise<() => Promise<void>>
}

/** Files of the directory that hold one of the secrets. */
export function holders({ directory }: CommandSession): readonly string[] {
  return readdirSync(directory).filter((name) => {
    const text = readFileSync(join(directory, name), 'utf8')
    return [KEY, SECRET, PASSPHRASE].some((secret) => text.includes(secret))
  })
}
