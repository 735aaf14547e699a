// PROTO
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { postRequest } from './load.mjs'
import { runLoad, serveLoad } from './load-process.mjs'
import { interleave, judge, median, ratios } from './rounds.mjs'
import { trustClients, writeHook } from './registry.mjs'
import { startListener, startOwnServer } from './servers.mjs'
import { clientFrame, frameSplitter, LoadSocket, openMany, serverFrameLength } from './web-socket.mjs'

const TEXT = 'x'.repeat(200)
const HOOK_ID = '1'.repeat(32)
const RUN_ID = '00000000-0000-4000-8000-000000000000'
const LINE = JSON.stringify({ t: 'cmd:output', id: RUN_ID, hookId: HOOK_ID, kind: 'print', text: TEXT })
const DONE = JSON.stringify({ t: 'cmd:done', id: RUN_ID, hookId: HOOK_ID, success: true })

async function once1(plan) { return runLoad(import.meta.url, plan) }

export async function proto(mode, subscribers, rounds, durationMs) {
  const server = await startListener([process.execPath, ...(process.env.PROF ? process.env.PROF.split(' ') : []), process.env.HL ?? new URL('../dist/hookline.cjs', import.meta.url).pathname, 'listen'], 0)
  const bare = await startOwnServer('./bare-ws-server.mjs')
  const clientIds = trustClients(server.directory, subscribers)
  const everyMs = mode === 'burst' ? 0 : Math.max(1, Math.ceil(subscribers / 40))
  const lines = mode === 'burst' ? 1000 : mode === 'paced' ? Math.min(1000, Math.ceil(durationMs / everyMs)) : 1
  const fires = mode === 'fires' ? Math.min(1000, Math.ceil(durationMs / everyMs)) : 1
  const hook = writeHook(server.directory, mode === 'burst' ? `repeat 1000 (echo ${TEXT})` : mode === 'paced' ? `repeat ${lines} (sleep ${everyMs}ms; echo ${TEXT})` : `echo ${TEXT}`)
  const order = JSON.stringify({ line: LINE, lines, everyMs: mode === 'fires' ? 0 : everyMs, done: DONE })
  const bareRequest = `POST /print HTTP/1.1\r\nHost: 127.0.0.1:53219\r\nContent-Length: ${order.length}\r\n\r\n${order}`
  const common = { subscribers, lines, fires, everyMs }
  const res = await interleave(rounds, {
    ours: () => once1({ ...common, port: server.port, pid: server.child.pid, clientIds, request: postRequest(`/hook/${hook.id}`, hook.secret) }),
    theirs: () => once1({ ...common, port: bare.port, pid: bare.child.pid, request: bareRequest }),
  })
  await server.stop(); await bare.stop()
  const del = subscribers * (lines + 1) * fires
  for (const who of ['ours', 'theirs']) console.log(mode, subscribers, who, 'wall us/deliv', (median(res[who].map(r => r.seconds)) * 1e6 / del).toFixed(2), 'cpu us/deliv', (median(res[who].map(r => r.cpuUs)) / del).toFixed(2), 'cpu ms', (median(res[who].map(r => r.cpuUs))/1000).toFixed(1))
  console.log('  ratio wall', JSON.stringify(ratios(res.theirs.map(r => r.seconds), res.ours.map(r => r.seconds))), 'cpu', JSON.stringify(ratios(res.theirs.map(r => r.cpuUs), res.ours.map(r => r.cpuUs))))
}

function mainUs(pid) { return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1000 }

if (process.argv[2]) { const [mode, n, rounds, ms] = process.argv[2].split(','); await proto(mode, Number(n), Number(rounds), Number(ms)) ; process.exit() }
await serveLoad(import.meta.url, async ({ port, pid, clientIds, subscribers, request, lines, fires, everyMs }) => {
  const sockets = await openMany(subscribers, (i) => clientIds ? LoadSocket.openSession(port, clientIds[i]) : LoadSocket.open(port))
  if (clientIds) await Promise.all(sockets.map((s) => s.sendAndSettle(clientFrame(JSON.stringify({ t: 'subscribe', topics: ['hook-output'] })))))
  const post = connect({ port, host: '127.0.0.1', noDelay: true })
  const run = async (fires) => {
    const expected = fires * (lines * serverFrameLength(LINE) + serverFrameLength(DONE))
    const all = Promise.all(sockets.map((s) => new Promise((resolve) => { let left = expected; s.onBytes = (b) => { left -= b.length; if (left <= 0) resolve() } })))
    const before = mainUs(pid)
    const t0 = performance.now()
    for (let i = 0; i < fires; i++) { post.write(request); if (fires > 1) await sleep(everyMs) }
    await all
    const seconds = (performance.now() - t0) / 1000
    await sleep(50)
    return { seconds, cpuUs: mainUs(pid) - before }
  }
  await run(fires)
  await sleep(100)
  return run(fires)
})
