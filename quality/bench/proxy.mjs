// A fire through nginx, with the file that `hookline proxy` makes: TLS that is kept alive, and all of its locks, against the same fire without. Both
// are answered when the journal has the run.
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProxy } from '../../harness/process/debian-proxies.mjs'
import { applyLoad } from './load.mjs'
import { startProcess, stopProcess } from './processes.mjs'
import { interleave, judge, median, ratios, skip } from './rounds.mjs'
import { fireRequests, HOOKLINE, startHookline, temporaryDirectory, verifyFires } from './servers.mjs'

const PORT = 53_443
const DOMAIN = 'alerts.example'
const WANTED = { atMost: 3 }
/** @param {number} many */
const claimOf = (many) =>
  `p99 of a fire through nginx with TLS kept alive, ${many} connection${many === 1 ? '' : 's'}, against the bare fire`
/** nginx ends a connection after a thousand requests. */
const MAX_ON_ONE = 900

/**
 * @typedef {object} Scale
 * @property {number} rounds
 * @property {number[]} connections
 * @property {number} fires on each connection, in each round
 * @property {number} warmUp fires before the first round
 */

/** @type {import('./groups.mjs').Group<Scale>} */
export const proxy = {
  full: { rounds: 15, connections: [1, 10], fires: MAX_ON_ONE, warmUp: 8_000 },
  quick: { rounds: 5, connections: [1, 10], fires: 300, warmUp: 3_000 },
  measure: measureProxy,
}

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureProxy({ rounds, connections, fires, warmUp }) {
  const found = await findProxy('nginx')
  if ('missing' in found) return connections.map((many) => skip(claimOf(many), WANTED, found.missing))
  const server = await startHookline(1)
  await verifyFires(server, 2_000)
  const nginx = await startNginx(found.path, server)
  const [bare] = fireRequests(server.hooks)
  /** @param {number} port @param {string} request @param {number} many @param {number} count */
  const fire = async (port, request, many, count) => {
    const isSecure = port === PORT
    const result = await applyLoad({ port, requests: [request], connections: many, isSecure, count })
    if (result.accepted !== count) throw new Error(`answers other than 200: ${JSON.stringify(result.others)}`)
    return result
  }
  await fire(server.port, bare, 10, warmUp)
  await fire(PORT, nginx.request, 10, warmUp)
  const rows = []
  for (const many of connections) {
    const { through, plain } = await interleave(rounds, {
      through: () => fire(PORT, nginx.request, many, many * fires),
      plain: () => fire(server.port, bare, many, many * fires),
    })
    rows.push(judgeDelay(many, through, plain))
  }
  await nginx.stop()
  await server.stop()
  return rows
}

/** @typedef {import('./load.mjs').LoadResult} LoadResult */

/** @param {number} many @param {readonly LoadResult[]} through @param {readonly LoadResult[]} plain */
function judgeDelay(many, through, plain) {
  /** @param {readonly LoadResult[]} results @param {'p50Us' | 'p99Us'} key */
  const of = (results, key) => results.map((result) => result[key])
  /** @param {readonly LoadResult[]} results */
  const figures = (results) =>
    `p50 ${median(of(results, 'p50Us')).toFixed(0)} µs, p99 ${median(of(results, 'p99Us')).toFixed(0)} µs`
  const details = `${figures(through)}; bare ${figures(plain)}`
  return judge(claimOf(many), WANTED, ratios(of(through, 'p99Us'), of(plain, 'p99Us')), details, SHORT)
}

const SHORT =
  'nginx opens a connection to hookline for each fire: one that is kept might be dead, and a fire is not sent twice'

/**
 * @param {string} program
 * @param {Awaited<ReturnType<typeof startHookline>>} server
 */
async function startNginx(program, { directory: config, hooks }) {
  const directory = temporaryDirectory()
  const [cert, key, file] = ['cert.pem', 'key.pem', 'hookline.conf'].map((name) => join(directory, name))
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  run('openssl', ['req', ...kind, '-keyout', key, '-out', cert, '-subj', `/CN=${DOMAIN}`])
  const options = ['--hook', hooks[0].name, '--domain', DOMAIN, '--cert', cert, '--key', key]
  const limits = ['--senders', '127.0.0.1', '--rate', '9999/1s', '--write', file]
  run(process.execPath, [HOOKLINE, 'proxy', 'nginx', ...options, ...limits], { HOOKLINE_CONFIG_DIR: config })
  const text = readFileSync(file, 'utf8')
  const path = new RegExp(`^# alert .*https://${DOMAIN}(/[\\w-]+)$`, 'm').exec(text)?.[1]
  // An idle machine fires more than the most that may be asked for.
  const unlimited = text.replace('rate=9999r/s', 'rate=999999r/s')
  const own = unlimited.replace('listen 443', `listen 127.0.0.1:${PORT}`).replaceAll('/var/log/nginx', directory)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const http = [`access_log off;`, ...temporary.map((each) => `${each}_temp_path ${directory}/${each};`), own]
  const main = ['daemon off;', `pid ${directory}/pid;`, `error_log ${directory}/error.log;`, 'events {}']
  writeFileSync(join(directory, 'nginx.conf'), [...main, 'http {', ...http, '}'].join('\n'), { mode: 0o600 })
  const child = startProcess([program, '-p', directory, '-c', join(directory, 'nginx.conf')], { stdout: 'ignore' })
  while (!(await isOpen())) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`)
    await sleep(5)
  }
  return {
    request: `POST ${path} HTTP/1.1\r\nHost: ${DOMAIN}\r\nContent-Length: 0\r\n\r\n`,
    async stop() {
      await stopProcess(child)
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** @param {string} program @param {readonly string[]} args @param {Record<string, string>} [env] */
function run(program, args, env = {}) {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8', env: { ...process.env, ...env } })
  if (status !== 0) throw new Error(`${program} ${args[0]}: ${error?.message ?? stderr.trim()}`)
}

/** @returns {Promise<boolean>} */
function isOpen() {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: PORT })
    socket.on('connect', () => resolve(socket.destroy() && true))
    socket.on('error', () => resolve(false))
  })
}
