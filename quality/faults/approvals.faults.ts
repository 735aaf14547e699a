// Faults of asking: pages that flood, hide, dress up or run away from the operator's question.
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { vi } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { BINARY, isPrompt, LISTENING, openTerminal, type RunningHookline } from '../../harness/process/hookline.ts'
import { ask, startRepl } from '../../harness/process/piped-repl.ts'
import { ORIGIN, WsClient } from '../../harness/wire/ws-client.ts'
import { APPROVAL_LIMITS } from '../../src/listener/approvals/approvals.ts'
import { HOSTILE_LABELS, steeringIn } from './hostile-labels.ts'
import { startUnder } from './launchers.ts'
import { scenario } from './scenario.ts'

const FLOOD = 100
const FLOOD_MS = 10_000

const questionsIn = ({ stdout }: RunningHookline) => stdout.split('a web page asks to run commands here:').length - 1
const trustedIn = (directory: string): unknown[] => {
  const file = join(directory, 'trusted-clients.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).clients : []
}

scenario(
  24,
  `${FLOOD} unknown clients of one origin ask within 10 s, and stay`,
  'one question, eight wait, the others are turned away with 4429',
  async () => {
    const repl = await startRepl(tempDirectory())
    const codes: number[] = []
    for (let n = 0; n < FLOOD; n++) {
      const client = await WsClient.hello({ label: `tab ${n}` })
      void client.closed().then(({ code }) => codes.push(code))
      await sleep(FLOOD_MS / FLOOD)
    }
    await vi.waitUntil(() => codes.length >= FLOOD - APPROVAL_LIMITS.pending, { timeout: 5_000 })
    const busy = codes.filter((code) => code === 4429).length
    return {
      got: `${questionsIn(repl)} question, ${FLOOD - codes.length} wait, ${busy} get 4429`,
      holds: questionsIn(repl) === 1 && FLOOD - codes.length === APPROVAL_LIMITS.pending && busy === codes.length,
    }
  },
)

scenario(24, `${FLOOD} unknown clients of one origin ask within 10 s, and leave at once`, 'one question', async () => {
  const repl = await startRepl(tempDirectory())
  const from = performance.now()
  for (let n = 0; n < FLOOD; n++) {
    const client = await WsClient.hello({ label: `tab ${n}` })
    await client.settled()
    await client.leave()
    await sleep(from + ((n + 1) * FLOOD_MS) / FLOOD - performance.now())
  }
  await ask(repl, 'status')
  return {
    got: `${questionsIn(repl)} questions`,
    holds: questionsIn(repl) === 1,
  }
})

scenario(
  24,
  `unknown clients of ${FLOOD} origins ask, all of them on the list`,
  'one question, eight wait, the others are turned away with 4429',
  async () => {
    const directory = tempDirectory()
    const allowedOrigins = Array.from({ length: FLOOD }, (_, n) => `https://app-${n}.test`)
    writeFileSync(join(directory, 'config.json'), JSON.stringify({ listener: { allowedOrigins } }))
    const repl = await startRepl(directory)
    const codes: number[] = []
    for (const origin of allowedOrigins) {
      const client = await WsClient.hello({ label: origin }, origin)
      void client.closed().then(({ code }) => codes.push(code))
    }
    await vi.waitUntil(() => codes.length >= FLOOD - APPROVAL_LIMITS.pending, { timeout: 5_000 })
    const listed = (await ask(repl, 'clients')).split('https://app-').length - 1
    const busy = codes.filter((code) => code === 4429).length
    return {
      got: `${questionsIn(repl)} question, ${listed / 2} wait, ${busy} get 4429`,
      holds: questionsIn(repl) === 1 && busy === codes.length && FLOOD - busy === APPROVAL_LIMITS.pending,
    }
  },
)

const RELOADS = 20

/** Types the answer once a person has read the question that is shown last. */
async function answer(repl: RunningHookline, word: 'y' | 'n'): Promise<void> {
  await sleep(APPROVAL_LIMITS.readMs + 50)
  repl.say(word)
}

scenario(
  25,
  `a page connects ${RELOADS} times more while it is asked about; another waits`,
  'it keeps its place, ≤ 1 question a second, and `y` lets in its last connection alone',
  async () => {
    const directory = tempDirectory()
    const repl = await startRepl(directory)
    const clientId = randomUUID()
    const connect = () => WsClient.hello({ clientId, label: 'reloaded' })
    let page = await connect()
    await repl.prints('label   reloaded')
    const behind = await WsClient.hello({ label: 'behind' })
    const from = performance.now()
    for (let reload = 0; reload < RELOADS; reload++) {
      // In turn a tab that is loaded again, which hangs up first, and a page that hangs up after its next connection.
      const next = reload % 2 === 0 ? page.leave().then(connect) : connect()
      page = await next
      await page.settled()
    }
    await vi.waitUntil(async () => (await ask(repl, 'clients')).includes('reloaded'))
    const shown = () => repl.stdout.lastIndexOf('label   reloaded') > repl.stdout.lastIndexOf('nothing to answer')
    await vi.waitUntil(shown, { timeout: 5_000 })
    const mostQuestions = 1 + Math.ceil((performance.now() - from) / APPROVAL_LIMITS.pauseMs)
    const questions = questionsIn(repl)
    await answer(repl, 'y')
    await page.nextFrame('welcome')
    await repl.prints('label   behind')
    const rows = trustedIn(directory).length
    const leaked = behind.received.length
    return {
      got: `${questions} questions, then welcome; ${rows} client trusted, ${leaked} frames to the other`,
      holds: questions <= mostQuestions && rows === 1 && leaked === 0,
    }
  },
)

/** 300 s become 15 s. */
const RATE = 20

/** Pages connect until one is not turned away. @returns that one, and how long that took on hookline's clock */
async function endOfQuiet(repl: RunningHookline) {
  const from = performance.now()
  for (let n = 0; ; n++) {
    let code = 0
    const clientId = `again-${n}-${randomUUID()}`
    const page = await WsClient.hello({ clientId, label: `again ${n};` })
    void page.closed().then((closed) => {
      code = closed.code
    })
    await vi.waitUntil(() => code !== 0 || repl.stdout.includes(`again ${n};`), { interval: 5 })
    if (code === 0) return { page, clientId, seconds: ((performance.now() - from) * RATE) / 1_000 }
    if (code !== 4429) throw new Error(`closed with ${code}`)
    await sleep(10)
  }
}

scenario(
  26,
  `one question is left open, one denied, one loses its page (clock ${RATE} × as fast)`,
  '4001 after 5 min; 30 s quiet after a no; `y` and `approve` too late are refused in words',
  async () => {
    const directory = tempDirectory()
    const repl = startUnder('fast-clock.cjs', directory, [String(RATE), BINARY])
    await repl.prints(LISTENING)
    const from = performance.now()
    const clientId = randomUUID()
    const unheard = await WsClient.hello({ clientId, label: 'unheard' })
    const { code } = await unheard.closed()
    const openSeconds = ((performance.now() - from) * RATE) / 1_000
    const late = [await ask(repl, 'y'), await ask(repl, `approve ${clientId}`)]

    const denied = await WsClient.hello({ label: 'denied' })
    await repl.prints('label   denied')
    await answer(repl, 'n')
    const deniedCode = (await denied.closed()).code
    const quiet = await endOfQuiet(repl)

    await quiet.page.leave()
    await repl.prints('the page that asked has gone')
    late.push(await ask(repl, 'y'), await ask(repl, `approve ${quiet.clientId}`))
    const refused = late.filter((text) => /^error: (unknown command|no client is awaiting approval)/m.test(text)).length
    const grants = trustedIn(directory).length
    const [open, silent] = [openSeconds, quiet.seconds].map((seconds) => seconds.toFixed(0))
    return {
      got: `${code} after ${open} s; ${deniedCode}, then ${silent} s quiet; ${refused} of 4 refused, ${grants} grants`,
      holds:
        [code, deniedCode].every((each) => each === 4001) &&
        isAbout(openSeconds, APPROVAL_LIMITS.answerMs) &&
        isAbout(quiet.seconds, APPROVAL_LIMITS.quietMs) &&
        refused === 4 &&
        grants === 0,
    }
  },
)

/** Never sooner; a tenth later is what a fast clock makes of a slow machine. */
function isAbout(seconds: number, wantedMs: number): boolean {
  return seconds * 1_000 >= wantedMs * 0.99 && seconds * 1_000 <= wantedMs * 1.1 + RATE * 100
}

const LONGEST_LABEL = 60
const LONGEST_ORIGIN = 100

scenario(
  27,
  `${HOSTILE_LABELS.length} labels hold bidi, control and hidden characters or lines; one has 10 kB`,
  `plain text in one line, cut at ${LONGEST_LABEL} and ${LONGEST_ORIGIN} columns, that of 10 kB too`,
  async () => {
    const directory = tempDirectory()
    const longOrigin = `https://${'o'.repeat(60)}.${'p'.repeat(60)}.test`
    writeFileSync(
      join(directory, 'config.json'),
      JSON.stringify({ listener: { allowedOrigins: [ORIGIN, longOrigin] } }),
    )
    // Wide enough for the longest line: a narrow terminal shows it in two.
    const terminal = await openTerminal(directory, { columns: 160 })
    const beginningWith = (text: string) => terminal.lines().filter((line) => line.startsWith(text))
    for (const [index, [, label]] of HOSTILE_LABELS.entries()) {
      const origin = index % 2 === 0 ? ORIGIN : longOrigin
      const page = await WsClient.hello({ clientId: `${index}\u202e\u001b[2J${randomUUID()}`, label }, origin)
      await terminal.until(() => beginningWith('approve it? y or n').length === index + 1)
      await sleep(APPROVAL_LIMITS.readMs + 50)
      terminal.send('y\r')
      await page.nextFrame('welcome')
    }
    terminal.send('clients\r')
    await terminal.shows('approved (UTC)')
    const long = await WsClient.hello({ label: 'x'.repeat(10_000) })
    await terminal.until(() => beginningWith('approve it? y or n').length === HOSTILE_LABELS.length + 1)
    await sleep(APPROVAL_LIMITS.readMs + 50)
    terminal.send('n\r')
    const { code } = await long.closed()
    await terminal.until((screen) => isPrompt(screen.typed()))

    const widest = (title: string) => Math.max(...beginningWith(title).map((line) => line.length - title.length))
    const [label, origin] = [widest('  label   '), widest('  origin  ')]
    const questions = beginningWith('a web page asks to run commands here:').length
    const asked = beginningWith('approve it?').length
    const steering = steeringIn(terminal.raw)
    const columns = `${label} and ${origin} columns`
    return {
      got: `${questions} questions, ${steering} such characters, at most ${columns}; 10 kB: asked, ${code}`,
      holds:
        [questions, asked].every((count) => count === HOSTILE_LABELS.length + 1) &&
        steering === 0 &&
        label <= LONGEST_LABEL &&
        origin <= LONGEST_ORIGIN &&
        code === 4001,
    }
  },
)
