// A client of hookline in one file, written from PROTOCOL.md:  node examples/console-client.mjs [identity file]
// Once approved it buys for $100, makes a hook, and prints what the hook does when it is fired, after a restart of hookline too.
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { WebSocket } from 'ws'
import { createProofs, newPrivateKey } from './proof.mjs'

const ORIGIN = 'http://127.0.0.1:53220' // a program says itself where it belongs; see listener.allowedOrigins
const FATAL = [1002, 1007, 1008, 1009, 4001, 4400, 4401, 4409] // connecting again would end the same way
const HOOK = { name: 'console', command: 'echo the hook was fired' }

const file = process.argv[2] ?? 'console-client.json'
const identity = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { clientId: randomUUID() }
identity.privateKey ??= newPrivateKey()
const unanswered = new Set()
let order = 'buy $100 BTCUSDT' // sent once in the life of this program, whatever becomes of the connection
let hookWanted = true
let [socket, attempt] = [undefined, 0]
let [proofs, provenKey] = [] // of this connection; the key by which hookline has proved itself on it

function send(frame) {
  if (frame.id) unanswered.add(frame.id)
  socket.send(JSON.stringify(frame))
}

function settle(id, outcome) {
  unanswered.delete(id)
  console.log(`${id}: ${outcome}`)
}

function stop(why, exitCode) {
  console.log(why)
  socket.close()
  process.exit(exitCode)
}

const handlers = {
  challenge(challenge) {
    const proof = proofs.answer(challenge)
    if (!proof) stop('what answers on the port is not the hookline that approved this client', 1)
    provenKey = challenge.key
    send(proof)
  },
  welcome({ listenerId }) {
    identity.listenerKey ??= provenKey
    if (provenKey !== identity.listenerKey) stop('what answers on the port has not proved that it is hookline', 1)
    identity.listenerId ??= listenerId
    if (listenerId !== identity.listenerId) stop(`hookline ${listenerId} is not the one that approved this client`, 1)
    writeFileSync(file, JSON.stringify(identity), { mode: 0o600 }) // who has the key passes for this client
    attempt = 0
    console.log(`connected to hookline ${listenerId}`)
    send({ t: 'subscribe', topics: ['hooks', 'hook-output'] })
    if (order) send({ t: 'cmd:exec', id: 'order', command: order })
    order = undefined
  },
  'state:hooks'({ hooks }) {
    const made = hooks.find(({ name }) => name === HOOK.name)
    if (made) console.log(`hook ${made.id} is there; in hookline's terminal, \`hook show ${made.id}\` tells its token`)
    else if (hookWanted) send({ t: 'mutate:hook', id: 'hook', op: 'create', ...HOOK })
    hookWanted = false
  },
  'cmd:output': ({ id, kind, text }) => console.log(`${id}: ${kind}: ${text.replace(/[^\n\P{Cc}]/gu, '')}`),
  'cmd:done': ({ id, success, error }) => settle(id, success ? 'done' : `failed: ${error}`),
  'mutate:ack': ({ id }) => settle(id, 'done'),
  'mutate:err': ({ id, error }) => settle(id, `refused: ${error}`),
  error: ({ error }) => console.log(`refused: ${error}`),
}

function connect() {
  socket = new WebSocket('ws://127.0.0.1:53219/ws', { origin: ORIGIN })
  const hint = `waiting for you: type y in hookline's terminal when it asks about client ${identity.clientId.slice(0, 8)}`
  const waiting = setTimeout(() => socket.readyState === WebSocket.OPEN && console.log(hint), 1_000)
  ;[proofs, provenKey] = [createProofs(identity, ORIGIN)]
  const { key, nonce } = proofs
  socket.on('open', () => send({ t: 'hello', clientId: identity.clientId, label: 'console-client', key, nonce }))
  socket.on('message', (text) => {
    const frame = JSON.parse(text)
    if (frame.t !== 'challenge') clearTimeout(waiting)
    if (Object.hasOwn(handlers, frame.t)) handlers[frame.t](frame)
  })
  socket.on('error', ({ message }) => console.log(`no connection: ${message}`))
  socket.on('close', (code, reason) => {
    clearTimeout(waiting)
    if (FATAL.includes(code)) stop(`hookline closed with ${code}: ${reason}`, 1)
    for (const id of unanswered) settle(id, 'nobody knows what became of it; look at `orders` and `positions`')
    const delayMs = Math.min(60_000, 500 * 2 ** attempt++) * (0.5 + Math.random() / 2)
    setTimeout(connect, code === 4429 ? 30_000 + delayMs : delayMs)
  })
}

process.on('SIGINT', () => stop('bye', 0))
connect()
