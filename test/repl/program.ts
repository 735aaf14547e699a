// The smallest program around `startRepl`, for tests that need a real terminal or a real pipe: its runs are scripted by the
// typed line, and a socket lets a test make things happen that nobody typed.
import { createConnection } from 'node:net'
import { createInterface } from 'node:readline'
import { defined } from '../../src/base/defined.ts'
import { type Repl, startRepl } from '../../src/repl/repl.ts'
import type { OutputKind, RunRequest, RunResult, RunSink } from '../../src/runs/run.ts'
import type { FullView, ViewHost } from '../../src/terminal/full-screen.ts'

/** What a test can make happen; each is answered by a line once it has. */
export type Happening =
  | {
      readonly do: 'output'
      readonly run: RunRequest
      readonly kind: OutputKind
      readonly text: string
      readonly times?: number
    }
  | { readonly do: 'done'; readonly run: RunRequest; readonly result: RunResult }
  | { readonly do: 'price'; readonly last: string }
  | { readonly do: 'release' }
  | { readonly do: 'expect-answer' }
  | { readonly do: 'report' }
  | { readonly do: 'stop' }

export interface Report {
  readonly executed: readonly string[]
  readonly answers: readonly string[]
  readonly secrets: readonly string[]
  readonly closed?: { readonly failedLines: number; readonly reason: string }
}

const executed: string[] = []
const answers: string[] = []
const secrets: string[] = []
let closed: Report['closed']
let symbol = 'BTCUSDT'
let last: string | undefined = '65012.50'
let sink: RunSink = {}
let release: (() => void) | undefined
let answerExpected = process.env.EXPECT_ANSWER === 'yes'

const own: RunRequest = { runId: 'own', source: 'repl', command: '' }
const say = (kind: OutputKind, text: string) => sink.output?.(own, kind, text)

const SUCCESS: RunResult = { success: true }
const scripted: Readonly<Record<string, (rest: string) => RunResult | Promise<RunResult>>> = {
  echo: (rest) => {
    say('print', rest)
    return SUCCESS
  },
  late: async (rest) => {
    await new Promise((resolve) => setTimeout(resolve, 30))
    say('print', rest)
    return SUCCESS
  },
  say: (rest) => {
    const [kind, ...words] = rest.split(' ')
    say(kind as OutputKind, words.join(' '))
    return SUCCESS
  },
  fail: (rest) => {
    say('error', rest)
    return { success: false, error: rest }
  },
  lines: (rest) => {
    for (let line = 1; line <= Number(rest); line++) say('print', `own line ${line}`)
    return SUCCESS
  },
  wait: (rest) => scripted.hold?.(rest) ?? SUCCESS,
  hold: async () => {
    say('print', 'holding')
    await new Promise<void>((resolve) => {
      release = resolve
    })
    say('print', 'released')
    return SUCCESS
  },
  ask: async (rest) => {
    try {
      secrets.push(await repl.terminal.askHidden(rest))
      say('print', 'got it')
      return SUCCESS
    } catch (error) {
      const { code } = error as { code: string }
      say('error', code)
      return { success: false, error: code }
    }
  },
  view: (rest) => {
    void repl.terminal.show?.(boxView(rest), new AbortController().signal)
    return SUCCESS
  },
  confirm: async (rest) => {
    say('print', (await repl.terminal.confirm?.(rest)) ? 'yes' : 'no')
    return SUCCESS
  },
  focus: (rest) => {
    symbol = rest
    last = undefined
    return SUCCESS
  },
  clear: () => {
    repl.terminal.clear()
    return SUCCESS
  },
  history: () => {
    say('print', repl.terminal.history().join('\n'))
    return SUCCESS
  },
  exit: () => {
    repl.terminal.quit()
    return SUCCESS
  },
}

/** Shows its size, the last line heard and the last key: `q` closes it, `r` runs `echo ran`, `?` a question, `!` throws. */
function boxView(title: string): FullView {
  let host: ViewHost | undefined
  let heard = ''
  let pressed = ''
  return {
    open(given) {
      host = given
      return () => {}
    },
    draw: ({ columns, rows }) => [`${title} ${columns}x${rows}`, `heard ${heard}`, `pressed ${pressed}`],
    onKey(text, key) {
      pressed = text ?? key.name ?? ''
      if (pressed === 'q' || key.ctrl) host?.close()
      if (pressed === 'r') host?.run?.('echo ran', 'swing')
      if (pressed === '?') host?.run?.('confirm sure?', 'swing')
      if (pressed === '!') throw new Error('a bug of the view')
    },
    onPaste() {
      heard = 'a paste'
    },
    received(lines) {
      heard = lines.at(-1) ?? ''
    },
  }
}

async function run(line: string, onWait?: () => void, account?: string): Promise<RunResult> {
  executed.push(account === undefined ? line : `${line} on ${account}`)
  if (line === 'wait') onWait?.()
  // A real run starts in a later turn: the journal comes first.
  await new Promise((resolve) => setImmediate(resolve))
  const [name = '', ...words] = line.trim().split(' ')
  return (scripted[name] ?? (() => ({ success: false, error: 'unknown command' })))(words.join(' '))
}

const repl: Repl = startRepl({
  input: process.stdin,
  output: process.stdout,
  env: process.env,
  run,
  addSink(added) {
    sink = added
    return () => {
      sink = {}
    }
  },
  answer(line) {
    if (!answerExpected || !/^(?:y|yes|n|no)$/.test(line)) return false
    answerExpected = false
    answers.push(line)
    if (process.env.EXPECT_ANSWER) say('print', `answered ${line}`)
    return true
  },
  urgencyOf: (line) => {
    if (line.startsWith('echo now')) return 'at-once'
    if (line.startsWith('echo cancel')) return 'asks'
    if (line.startsWith('echo close')) return 'at-once'
    return line.startsWith('echo stop') ? 'protects' : 'in-turn'
  },
  overQuestion: (line) => {
    if (line.startsWith('echo close') || line.startsWith('nuke')) return 'answers'
    if (line.startsWith('echo stop')) return 'protects'
    return line.startsWith('echo now') ? 'looks' : undefined
  },
  asks: (line) => line.startsWith('ask'),
  strict: process.env.STRICT === 'yes',
  interrupt() {
    say('warn', 'interrupted')
    release?.()
  },
  completion: () => ({
    words: [],
    symbols: ['BTCUSDT', 'ETHUSDT'],
    accounts: ['paper'],
    hooks: [{ id: '0123456789abcdef0123456789abcdef', name: 'dip' }],
    variables: ['risk'],
    runs: [],
    tasks: [],
    aliases: ['scalp'],
    commands: ['buy', 'help', 'hook'],
  }),
  promptState: () => ({ account: 'paper', symbol, ...defined({ last }) }),
  historyFile: process.env.HISTORY_FILE ?? '',
})

function happen(happening: Happening): Report {
  if (happening.do === 'output') {
    const { run, kind, text, times = 1 } = happening
    for (let time = 1; time <= times; time++) sink.output?.(run, kind, text.replace('#', String(time)))
  } else if (happening.do === 'done') sink.done?.(happening.run, happening.result, { acceptedAt: 0, endedAt: 0 })
  else if (happening.do === 'price') last = happening.last
  else if (happening.do === 'release') release?.()
  else if (happening.do === 'expect-answer') answerExpected = true
  else if (happening.do === 'stop') repl.stop()
  return { executed, answers, secrets, ...(closed ? { closed } : {}) }
}

const control = process.env.CONTROL_SOCKET ? createConnection(process.env.CONTROL_SOCKET) : undefined
if (control) {
  createInterface({ input: control }).on('line', (line) => {
    control.write(`${JSON.stringify(happen(JSON.parse(line)))}\n`)
  })
}

// A terminal that goes away also sends this; hookline has things to finish first.
process.on('SIGHUP', () => {})

closed = await repl.closed
await repl.finish()
process.exitCode = closed.failedLines > 0 ? 1 : 0
if (process.env.STAY !== 'yes') {
  // The terminal may be gone, so this goes where it can.
  process.stderr.on('error', () => {})
  process.stderr.write(`closed: ${closed.reason}, ${closed.failedLines} failed\n`)
  control?.end()
  process.stdin.unref?.()
}
