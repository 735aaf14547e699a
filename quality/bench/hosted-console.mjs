// The built console for many, with a real PostgreSQL and what a sign-in service says of itself.
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createCluster } from '../../harness/process/debian-postgres.mjs'
import { startProcess, stopProcess } from './processes.mjs'
import { HOOKLINE } from './servers.mjs'

export const PORT = 53_220
export const PUBLIC_URL = `http://127.0.0.1:${PORT}`

/** @param {{ readonly bin: string, readonly libraries: string }} found */
export async function startHosted(found) {
  const cluster = await createCluster(found)
  const issuer = await startIssuer()
  const databaseUrl = cluster.url('postgres')
  const command = [process.execPath, HOOKLINE, 'web', '--issuer', issuer.url, '--public-url', PUBLIC_URL]
  const server = startProcess(command, { env: { DATABASE_URL: databaseUrl } })
  const ended = once(server, 'exit').then(() => Promise.reject(new Error('the console did not start')))
  await Promise.race([once(server.stdout, 'data'), ended])
  ended.catch(() => {})
  return {
    issuer,
    databaseUrl,
    server,
    async stop() {
      await stopProcess(server)
      await issuer.close()
      await cluster.remove()
    },
  }
}

/** Says of itself what a sign-in service says, and signs. */
async function startIssuer() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const kid = randomUUID()
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' }]
  const server = createServer(({ url: path }, response) => {
    const endpoints = { authorization_endpoint: `${url}/auth`, token_endpoint: `${url}/token`, jwks_uri: `${url}/keys` }
    const said = path === '/keys' ? { keys } : { issuer: url, ...endpoints }
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(said))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`
  const part = (/** @type {unknown} */ value) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const head = part({ alg: 'ES256', kid })
  return {
    url,
    /** @param {string} sub */
    token(sub) {
      const iat = Math.floor(Date.now() / 1_000)
      const text = `${head}.${part({ iss: url, sub, aud: 'hookline', iat, exp: iat + 300 })}`
      return `${text}.${sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}
