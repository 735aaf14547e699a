// PROTOCOL.md says what the code does: its frames decode, its headings are the frames, its tables are the constants.
import { describe, expect, it } from 'vitest'
import { MAX_STEPS } from '../../src/commands/kit/running.ts'
import { APPROVAL_LIMITS } from '../../src/listener/approvals/approvals.ts'
import { FIRE_REFUSALS } from '../../src/listener/http/hook-fire.ts'
import { LISTENER_LIMITS } from '../../src/listener/listener-limits.ts'
import { decodeClientFrame, decodeServerFrame, encodeFrame } from '../../src/protocol/decode.ts'
import { CLOSE_CODES, clientFrame, serverFrame, TOPICS, WIRE_LIMITS } from '../../src/protocol/frames.ts'
import { checkInBody } from '../../src/protocol/web-api.ts'
import { RUN_LIMITS } from '../../src/runtime/fire-queue.ts'
import { type Fence, readSections, sectionTitled, tableOf, workedSessions } from './document.ts'

const sections = readSections()
const proseOf = (title: string) => sectionTitled(title).prose.join(' ')

/** The frames of one direction, in the order of frames.ts. */
function typesIn(union: typeof clientFrame | typeof serverFrame): string[] {
  return union.def.options.flatMap(({ shape }) => [...shape.t.def.values])
}

interface Example {
  readonly place: string
  readonly text: string
}

function examples(direction: 'client' | 'server'): Example[] {
  const fences = sections.flatMap((section) => section.fences).filter(({ info }) => info === `json ${direction}`)
  return fences.flatMap(({ lines, lineNumber }: Fence) =>
    lines.map((text, index) => ({ place: `line ${lineNumber + index}`, text })),
  )
}

const directions = [
  { direction: 'client', arrow: '**client → hookline**', decode: decodeClientFrame, types: typesIn(clientFrame) },
  { direction: 'server', arrow: '**hookline → client**', decode: decodeServerFrame, types: typesIn(serverFrame) },
] as const

describe.each(directions)('frames of the $direction', ({ direction, arrow, decode, types }) => {
  it.each(examples(direction))('decode as written, with nothing left over: $place', ({ text }) => {
    const decoded = decode(text)
    if (!decoded.ok) throw new Error(decoded.error)
    const withDefaults = decoded.frame.t === 'hello' ? { webCrossTradeActive: false } : {}
    expect(JSON.parse(encodeFrame(decoded.frame))).toEqual({ ...withDefaults, ...JSON.parse(text) })
  })

  it.each(types)('%s has a section that names its direction and shows an example of it', (type) => {
    const section = sectionTitled(type)
    expect(section.prose.find((line) => line !== '')).toContain(arrow)
    expect(section.fences.map(({ info, lines }) => [info, JSON.parse(lines.join('')).t])).toEqual([
      [`json ${direction}`, type],
    ])
  })
})

describe('sections', () => {
  it('have one heading per frame, in the order of frames.ts', () => {
    const start = sections.findIndex(({ title }) => title === 'Frames') + 1
    const end = sections.findIndex(({ level }, index) => index >= start && level < 3)
    expect(sections.slice(start, end).map(({ title }) => title)).toEqual(directions.flatMap(({ types }) => types))
  })

  it('use no fence that nothing checks', () => {
    const known = [
      'json proof',
      'json client',
      'json server',
      'json health',
      'http request',
      'http answer',
      'http check-in',
    ]
    const used = sections.flatMap(({ fences }) => fences.map(({ info }) => info))
    expect(used.filter((info) => !known.includes(info))).toEqual([])
  })

  it('show the check-in as it is sent, with a token in the form of one', () => {
    const fences = sections.flatMap((section) => section.fences)
    const [{ lines = [] } = {}, ...more] = fences.filter(({ info }) => info === 'http check-in')
    expect(more).toEqual([])
    const [head = '', body = ''] = lines.join('\n').split('\n\n')
    expect(head).toMatch(/^POST \/api\/cli\/checkin HTTP\/1\.1\n/)
    expect(Object.keys(checkInBody.parse(JSON.parse(body)))).toEqual(Object.keys(JSON.parse(body)))
    const [, header = '', claims = ''] = /^Authorization: Bearer ([\w-]+)\.([\w-]+)\.[\w-]+$/m.exec(head) ?? []
    const decoded = [header, claims].map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))
    expect(decoded).toMatchObject([{ alg: 'RS256' }, { iss: 'https://id.example.com' }])
  })

  it('name all topics', () => {
    for (const topic of TOPICS) expect(proseOf('subscribe')).toContain(`\`${topic}\``)
  })

  it('tell as many worked sessions as were asked for, none of them empty', () => {
    expect(workedSessions().map(({ title }) => title)).toEqual([
      'First pairing',
      'Denied',
      'A known client',
      'An order that fills late',
      'A hook made over the wire, and fired',
      'The kill switches',
      'Shutdown',
    ])
    for (const { steps } of workedSessions()) expect(steps.length).toBeGreaterThan(1)
  })
})

describe('close codes', () => {
  it('are those of the code, each with what to do next', () => {
    const rows = Object.values(CLOSE_CODES).map(({ code, retry, meaning }) => [
      String(code),
      retry === 'never' ? 'fatal' : 'retry',
      meaning,
    ])
    expect(tableOf(sectionTitled('What keeps the session, what ends it'))).toEqual(rows)
  })
})

describe('limits', () => {
  const characters = (count: number) => `${count} characters`
  const seconds = (ms: number) => (ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`)
  const bytes = (count: number) => (count >= 1_048_576 ? `${count / 1_048_576} MiB` : `${count / 1_024} KiB`)

  /** Every limit a peer can meet has a row; `undefined`: nobody outside can meet it. A new limit does not compile until it is decided. */
  const wire: Record<keyof typeof WIRE_LIMITS, readonly [string, string]> = {
    clientIdLength: ['`clientId`', characters(WIRE_LIMITS.clientIdLength)],
    labelLength: ['`label`', characters(WIRE_LIMITS.labelLength)],
    idLength: ['`id`', characters(WIRE_LIMITS.idLength)],
    commandLength: ['`command`', characters(WIRE_LIMITS.commandLength)],
    nameLength: ['names of accounts and hooks, symbols', characters(WIRE_LIMITS.nameLength)],
    ticketLength: ['a ticket of the console', `${WIRE_LIMITS.ticketLength} characters`],
    credentialLength: ['a key or secret of an account', characters(WIRE_LIMITS.credentialLength)],
    firstFrameBytes: ['a frame before `welcome`', bytes(WIRE_LIMITS.firstFrameBytes)],
    earlyFrames: [
      'frames that wait for `welcome`',
      `${WIRE_LIMITS.earlyFrames}, together ${bytes(WIRE_LIMITS.firstFrameBytes)}`,
    ],
    earlyFramesPerSecond: [
      'messages, pings and pongs before `welcome`',
      `${WIRE_LIMITS.earlyFramesPerSecond} a second`,
    ],
    frameBytes: ['your later frames', bytes(WIRE_LIMITS.frameBytes)],
    helloMs: ['`hello`, and `proof`, after the upgrade', seconds(WIRE_LIMITS.helloMs)],
    pingMs: ['pings', `every ${seconds(WIRE_LIMITS.pingMs)}`],
    beatMs: ['`beat`s, to a client that understands them', `every ${seconds(WIRE_LIMITS.beatMs)}`],
    lineMs: ['how long after it was sent a line of `hookline/client` may begin', seconds(WIRE_LIMITS.lineMs)],
    runsPerSession: ['runs of one session under way', String(WIRE_LIMITS.runsPerSession)],
    previewsPerSession: ['previews of one session worked out at once', String(WIRE_LIMITS.previewsPerSession)],
    previewsPerSecond: ['previews of one session in a second', String(WIRE_LIMITS.previewsPerSecond)],
    previewMs: ['a preview', seconds(WIRE_LIMITS.previewMs)],
    proposalsOpen: ['proposals of one client that are open', String(WIRE_LIMITS.proposalsOpen)],
    proposalsPerHour: [
      'proposals of one client in an hour, where its grant names no other number',
      String(WIRE_LIMITS.proposalsPerHour),
    ],
    reasonLength: ['the reason of a proposal', characters(WIRE_LIMITS.reasonLength)],
    proposalMinutes: ['how long a proposal is open', `${WIRE_LIMITS.proposalMinutes} minutes`],
    editsPerSession: ['edits of one session under way', String(WIRE_LIMITS.editsPerSession)],
    requestsPerSession: ['questions of one session under way', String(WIRE_LIMITS.requestsPerSession)],
    pageRows: ['rows of one page', String(WIRE_LIMITS.pageRows)],
    equityPoints: ['points of equity in one answer', String(WIRE_LIMITS.equityPoints)],
    watchlist: ['symbols of one `markets:query`', String(WIRE_LIMITS.watchlist)],
    filterLength: ['a filter', characters(WIRE_LIMITS.filterLength)],
    cursorLength: ['a cursor', characters(WIRE_LIMITS.cursorLength)],
    marketsPerSession: ['watched markets of one session', String(WIRE_LIMITS.marketsPerSession)],
    portfoliosPerSession: ['watched portfolios of one session', String(WIRE_LIMITS.portfoliosPerSession)],
    marketMs: ['between two frames of a watched market', seconds(WIRE_LIMITS.marketMs)],
    bookLevels: ['levels of each side of a book', String(WIRE_LIMITS.bookLevels)],
    candles: ['candles of one answer', String(WIRE_LIMITS.candles)],
    completions: ['completions of one answer', String(WIRE_LIMITS.completions)],
    replayCandles: ['candles of one `hooks:replay`', WIRE_LIMITS.replayCandles.toLocaleString('en-US')],
    replayDays: ['days of one `hooks:replay`', String(WIRE_LIMITS.replayDays)],
    replayFills: ['fills of one `hooks:replayed`', String(WIRE_LIMITS.replayFills)],
    replayMs: ['how long one `hooks:replay` may take', seconds(WIRE_LIMITS.replayMs)],
    batchMs: ['between two frames of output of one run, with `batches`', seconds(WIRE_LIMITS.batchMs)],
    batchLines: ['lines of one run that wait for the next frame, with `batches`', String(WIRE_LIMITS.batchLines)],
  }
  const listener: Record<keyof typeof LISTENER_LIMITS, readonly [string, string] | undefined> = {
    editsPerMinute: ['edits of one client in a minute', String(LISTENER_LIMITS.editsPerMinute)],
    headersMs: ['until the headers are there', seconds(LISTENER_LIMITS.headersMs)],
    requestMs: ['until the request is there', seconds(LISTENER_LIMITS.requestMs)],
    connectionCheckMs: undefined,
    keepAliveMs: ['an idle HTTP connection', seconds(LISTENER_LIMITS.keepAliveMs)],
    sockets: ['HTTP connections', String(LISTENER_LIMITS.sockets)],
    headerBytes: ['request headers, all together', bytes(LISTENER_LIMITS.headerBytes)],
    bodyBytes: ["a fire's body", bytes(LISTENER_LIMITS.bodyBytes)],
    alertBodyMs: ["until an alert's body is there", seconds(LISTENER_LIMITS.alertBodyMs)],
    lingerMs: undefined,
    silentMs: undefined,
    strangers: undefined,
    known: undefined,
    takeOverMs: undefined,
    probeMs: undefined,
    unsentBytes: ['frames that wait for a slow reader', bytes(LISTENER_LIMITS.unsentBytes)],
    missedPongs: ['unanswered pings', String(LISTENER_LIMITS.missedPongs)],
    sessions: ['welcomed sessions', String(LISTENER_LIMITS.sessions)],
    markets: ['watched markets of all sessions, each once', String(LISTENER_LIMITS.markets)],
    portfolios: ['watched portfolios of all sessions, each once', String(LISTENER_LIMITS.portfolios)],
    fragments: ['pieces of one message', String(LISTENER_LIMITS.fragments)],
    snapshotMs: ['between two snapshots of a topic', seconds(LISTENER_LIMITS.snapshotMs)],
    clientHintMs: undefined,
    departedRunMs: ['runs of a session that left', seconds(LISTENER_LIMITS.departedRunMs)],
    drainMs: undefined,
  }
  const runs: readonly (readonly [string, string])[] = [
    ['fires running', String(RUN_LIMITS.running)],
    ['fires running, of one hook', `${RUN_LIMITS.runningPerHook}, or its \`--parallel\``],
    ['fires waiting', String(RUN_LIMITS.waiting)],
    ['fires waiting, of one hook', String(RUN_LIMITS.waitingPerHook)],
    ['how long a fire waits', `${seconds(RUN_LIMITS.maxAgeMs)}, or its hook's \`--max-age\``],
    ['steps of one run, those inside `repeat` included', String(MAX_STEPS)],
  ]

  it('are those of the code, each in one row', () => {
    const expected = [...Object.values(wire), ...Object.values(listener).filter((row) => row !== undefined), ...runs]
    const documented = tableOf(sectionTitled('Limits')).map(([what, limit]) => [what, limit])
    expect(documented.toSorted()).toEqual(expected.map((row) => [...row]).toSorted())
  })

  it('of the wait for the operator are told in figures', () => {
    const { answerMs, keepPlaceMs, quietMs, pending } = APPROVAL_LIMITS
    const told = proseOf('Handshake and trust')
    expect(told).toContain(`${answerMs / 60_000} minutes`)
    expect(told).toContain(`reconnects within ${seconds(keepPlaceMs)}`)
    expect(told).toContain(`in the ${seconds(quietMs)} after a denial`)
    expect([pending, told]).toEqual([8, expect.stringContaining('Eight clients can wait')])
  })

  it('of a shutdown are told in the worked session', () => {
    const text = workedSessions()
      .find(({ title }) => title === 'Shutdown')
      ?.steps.map((step) => step.text)
    expect(text?.join(' ')).toContain(`gives runs ${seconds(LISTENER_LIMITS.drainMs)}`)
  })
})

describe('the status table of a fire', () => {
  const rows = tableOf(sectionTitled('Firing hooks over HTTP'))

  it('begins with the acceptance', () => {
    expect(rows[0]?.[0]).toBe('200')
  })

  it('has the exact refusals of the code, the one that wins first', () => {
    const refusals = Object.values(FIRE_REFUSALS).map(({ status, body }) => [String(status), `\`${body}\``])
    expect(rows.slice(1).map(([status, body]) => [status, body])).toEqual(refusals)
  })
})
