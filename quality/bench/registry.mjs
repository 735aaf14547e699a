// What stands in hookline's files before it is measured. Files are replaced as another hookline process would: whole, by a rename.
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { postRequest } from './load.mjs'
import { HOOK_ID } from './printed.mjs'
import { ORIGIN } from './web-socket.mjs'

/** One hook, alone. @param {string} directory of hookline @param {string} command @returns {string} the request that fires it */
export function writeHook(directory, command) {
  return writeHooksOf(directory, [command])[0]
}

/** @param {string} directory of hookline @param {string[]} commands of a hook each @returns {string[]} the requests that fire them */
export function writeHooksOf(directory, commands) {
  const hooks = commands.map((command, index) => ({
    id: index === 0 ? HOOK_ID : String(index + 1).repeat(32),
    name: `bench-${index + 1}`,
    secret: 'a'.repeat(32),
    command,
    createdAt: 1_700_000_000_000,
  }))
  replace(join(directory, 'hooks.json'), { hooks })
  return hooks.map(({ id, secret }) => postRequest(`/hook/${id}`, secret))
}

/**
 * Any number of hooks. @param {string} directory of hookline @param {readonly { command: string, limits?: object }[]} rows
 * @returns {string[]} the requests that fire them
 */
export function writeHookRows(directory, rows) {
  const hooks = rows.map((row, index) => ({
    id: (index + 1).toString(16).padStart(32, '0'),
    name: `bench-${index + 1}`,
    secret: 'a'.repeat(32),
    createdAt: 1_700_000_000_000,
    ...row,
  }))
  replace(join(directory, 'hooks.json'), { hooks })
  return hooks.map(({ id, secret }) => postRequest(`/hook/${id}`, secret))
}

/** Clients that the operator has approved. @param {string} directory @param {number} count @returns {string[]} their ids */
export function trustClients(directory, count) {
  const clientIds = Array.from(
    { length: count },
    (_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
  )
  const approval = { label: 'bench', origin: ORIGIN, approvedAt: 1_700_000_000_000 }
  const clients = clientIds.map((clientId) => ({ clientId, ...approval }))
  replace(join(directory, 'trusted-clients.json'), { clients })
  return clientIds
}

/** @param {string} directory @param {number} count @returns {object[]} the accounts */
export function writeAccounts(directory, count) {
  const accounts = Array.from({ length: count }, (_, index) => ({
    name: `bench-${String(index).padStart(6, '0')}`,
    exchange: 'paper',
    createdAt: 1_700_000_000_000,
    updatedAt: 1_700_000_000_000,
  }))
  replace(join(directory, 'accounts.json'), { accounts })
  return accounts
}

/** Their keys are elsewhere. @param {string} directory @param {readonly string[]} exchanges by their ccxt ids */
export function writeLiveAccounts(directory, exchanges) {
  const accounts = exchanges.map((exchange) => ({
    name: `bench-${exchange}`,
    exchange,
    kind: 'linear',
    credentials: { from: 'environment' },
    createdAt: 1_700_000_000_000,
    updatedAt: 1_700_000_000_000,
  }))
  replace(join(directory, 'accounts.json'), { accounts })
}

/** Of one copier each. @param {string} directory @param {number} count @returns {object[]} the rows */
export function writeCrossTrade(directory, count) {
  const configs = Array.from({ length: count }, (_, index) => ({
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    enabled: true,
    masterAccount: 'paper',
    masterWeight: 1,
    copiers: [{ account: 'swing', weight: 0.5, mode: 'Market' }],
    updatedAt: 1_700_000_000_000,
  }))
  replace(join(directory, 'cross-trade.json'), { configs })
  return configs
}

/** A journal of runs that have ended. @param {string} path @param {number} bytes about so many, never more */
export function writeJournal(path, bytes) {
  const runs = []
  let length = 0
  while (true) {
    const run = journalledRun(runs.length)
    length += run.length
    if (length > bytes) break
    runs.push(run)
  }
  writeFileSync(path, runs.join(''), { mode: 0o600 })
}

/** As a hook's run leaves it. @param {number} index */
function journalledRun(index) {
  const runId = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
  const at = 1_700_000_000_000 + index
  const account = { account: 'paper', pid: 4_711 }
  const start = {
    t: 'start',
    runId,
    at,
    source: 'hook',
    origin: 'bench',
    hook: HOOK_ID,
    command: 'echo ok',
    ...account,
  }
  return `${JSON.stringify(start)}\n${JSON.stringify({ t: 'done', runId, at, ok: true })}\n`
}

/** @param {string} path @param {object} content */
function replace(path, content) {
  writeFileSync(`${path}.new`, JSON.stringify(content), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
