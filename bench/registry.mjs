// What stands in hookline's files before it is measured. Files are replaced as another hookline process would: whole, by a rename.
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { postRequest } from './load.mjs'
import { HOOK_ID } from './printed.mjs'
import { ORIGIN } from './web-socket.mjs'

/** One hook, alone. @param {string} directory of hookline @param {string} command @returns {string} the request that fires it */
export function writeHook(directory, command) {
  const hook = { id: HOOK_ID, name: 'bench', secret: 'a'.repeat(32), command, createdAt: 1_700_000_000_000 }
  replace(join(directory, 'hooks.json'), { hooks: [hook] })
  return postRequest(`/hook/${hook.id}`, hook.secret)
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

/** @param {string} path @param {object} content */
function replace(path, content) {
  writeFileSync(`${path}.new`, JSON.stringify(content), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
