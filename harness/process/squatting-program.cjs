// `squatting-program.cjs <mode> <listenerId>`: a program of another user, where the machine allows it, that has taken hookline's port. It
// speaks the wire as far as it can without hookline's key, and writes every frame that it hears to its output, a line each.
//   welcome    answers hello by a welcome, as hooklines without a key do
//   own-key    answers by a challenge that is sound but for the key, and a proof by a welcome
//   forged     answers by a challenge with hookline's own key (third argument) and a signature by another one, and welcomes at once
const { generateKeyPairSync, randomBytes, sign } = require('node:crypto')
const { createServer } = require('node:http')
const { WebSocketServer } = require('ws')

const NOBODY = 65_534
const [mode, listenerId, knownKey] = process.argv.slice(2)

if (process.getuid?.() === 0) {
  process.setgroups([])
  process.setgid(NOBODY)
  process.setuid(NOBODY)
}

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const { x, y } = publicKey.export({ format: 'jwk' })
const ownKey = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]).toString(
  'base64url',
)

/** As PROTOCOL.md says. */
function challengeFor(hello, origin) {
  const nonce = randomBytes(32).toString('base64url')
  const key = mode === 'forged' ? knownKey : ownKey
  const texts = ['hookline proof 1 listener', nonce, hello.nonce ?? '', key, hello.key ?? '', hello.clientId, origin]
  const bytes = texts.map((text) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(Buffer.byteLength(text))
    return Buffer.concat([length, Buffer.from(text)])
  })
  const signature = sign('sha256', Buffer.concat(bytes), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return { t: 'challenge', nonce, key, signature: signature.toString('base64url') }
}

const server = createServer((_request, response) => {
  response.setHeader('Access-Control-Allow-Origin', '*')
  response.end('{"ok":true,"pid":1,"port":53219}')
})
new WebSocketServer({ server, path: '/ws' }).on('connection', (socket, { headers }) => {
  const send = (frame) => socket.send(JSON.stringify(frame))
  socket.on('message', (data) => {
    process.stdout.write(`${data}\n`)
    const frame = JSON.parse(data)
    if (mode !== 'welcome' && frame.t === 'hello') send(challengeFor(frame, headers.origin))
    if (mode === 'own-key' && frame.t === 'hello') return
    send({ t: 'welcome', listenerId, user: { email: '' } })
  })
  socket.on('close', () => process.stdout.write('"left"\n'))
})
server.listen(53219, '127.0.0.1', () => process.stdout.write(`"listening as ${process.getuid?.()}"\n`))
