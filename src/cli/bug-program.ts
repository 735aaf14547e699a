// `hookline bug`: a report for the authors of hookline, on standard output. Nothing is sent. A word passes only if its shape is that of prose, of a code
// or of a file of the program, and no value of the state directory or the environment contains it; so keys, tokens, amounts and names stay here.
import { join } from 'node:path'
import { buildFacts, EXIT_CODE } from '../app/this-process.ts'
import { configDirectory, namesIn } from '../stores/directory.ts'
import { linesBackwards, withBackup } from '../stores/journal-file.ts'
import { readRecord } from '../stores/private-file.ts'
import { StoreError } from '../stores/store-error.ts'
import { examine } from './doctor-program.ts'

const MAX_ERRORS = 20
const MAX_FRAMES = 12

/** pino's level of a warning. */
const WARN = 40

/** @returns the exit code: 0 also where something is wrong, which is what the report is for */
export async function runBugReport(): Promise<number> {
  const { version, commit, node, platform } = buildFacts()
  const lines = [
    'hookline bug report: read it before you paste it',
    `hookline ${version}, commit ${commit ?? 'unknown'}, Node ${node}, ${platform}`,
    ...(await reportState()),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  return EXIT_CODE.ok
}

async function reportState(): Promise<readonly string[]> {
  try {
    const directory = configDirectory(process.env)
    const redact = createRedaction(valuesOf(directory, process.env))
    const findings = await examine({ venues: false })
    const checks = findings.map(({ verdict, check, what }) => `  ${verdict.padEnd(5)}  ${redact(`${check}: ${what}`)}`)
    return ['doctor:', ...checks, 'last warnings and errors, newest first:', ...(await lastErrors(directory, redact))]
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return [`state directory: ${error.code}: ${createRedaction(new Set())(error.message)}`]
  }
}

/** Of the log: time, level and redacted message, then the code and the frames of the error. */
async function lastErrors(directory: string, redact: (text: string) => string): Promise<readonly string[]> {
  const found: string[] = []
  let count = 0
  try {
    for await (const lines of linesBackwards(withBackup(join(directory, 'hookline.log')))) {
      for (const line of lines) {
        const described = describeLogLine(line, redact)
        if (described === undefined) continue
        found.push(...described)
        count += 1
        if (count === MAX_ERRORS) return found
      }
    }
  } catch (error) {
    return [...found, `  the log cannot be read: ${codeIn(error) ?? 'unknown reason'}`]
  }
  return count === 0 ? ['  none'] : found
}

interface LogLine {
  readonly level?: unknown
  readonly time?: unknown
  readonly msg?: unknown
  readonly err?: {
    readonly type?: unknown
    readonly message?: unknown
    readonly code?: unknown
    readonly stack?: unknown
  }
}

/** @returns undefined: the line is neither a warning nor an error */
export function describeLogLine(text: string, redact: (text: string) => string): readonly string[] | undefined {
  const line = parsed(text)
  if (line === undefined || typeof line.level !== 'number' || line.level < WARN) return undefined
  const at = typeof line.time === 'number' && Number.isSafeInteger(line.time) ? line.time : 0
  const word = line.level === WARN ? 'warn' : 'error'
  const { type, message, stack } = line.err ?? {}
  const details = [identifierIn(type), codeIn(line.err), typeof message === 'string' ? redact(message) : undefined]
  const cause = details.filter((detail) => detail !== undefined).join(': ')
  return [
    `  ${new Date(Math.min(at, 8.64e15)).toISOString()} ${word} ${typeof line.msg === 'string' ? redact(line.msg) : ''}`.trimEnd(),
    ...(cause === '' ? [] : [`    ${cause}`]),
    ...framesIn(stack).map((frame) => `    at ${frame}`),
  ]
}

function parsed(text: string): LogLine | undefined {
  try {
    const line: unknown = JSON.parse(text)
    return typeof line === 'object' && line !== null ? line : undefined
  } catch {
    return undefined
  }
}

function identifierIn(value: unknown): string | undefined {
  return typeof value === 'string' && /^[A-Z][A-Za-z]{2,40}$/.test(value) ? value : undefined
}

/** `ENOSPC`, `store-corrupt`. */
function codeIn(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^(?:[A-Z_]{3,32}|[a-z]{2,16}(?:-[a-z]{1,16}){0,4})$/.test(code) ? code : undefined
}

/** A frame in a file of the program or of Node: function, file without its folder, line and column. */
const FRAME =
  /^\s*at (?:(?:async )?([\w$.#<> ]{1,80}) \()?(?:[^()]*[\\/])?((?:node:[\w/]{1,60})|(?:[\w.-]{1,40}\.(?:cjs|ts))):(\d{1,7}):(\d{1,7})\)?$/

function framesIn(stack: unknown): readonly string[] {
  if (typeof stack !== 'string') return []
  const frames = stack.split('\n').flatMap((line) => {
    const [, name, file = '', row, column] = FRAME.exec(line) ?? []
    if (file === '') return []
    return [`${name === undefined ? '' : `${name} `}${file}:${row}:${column}`]
  })
  return frames.slice(0, MAX_FRAMES)
}

const REDACTED = '#'
/** Prose, also hyphenated or with an apostrophe. */
const PROSE = /^[A-Za-z]?[a-z]{0,15}(?:['’-][a-z]{1,15}){0,3}$/
const KNOWN_CAPITALS = /^(?:E[A-Z]{3,13}|SIG[A-Z]{3,6}|API|CPU|DNS|GET|HTTP|IP|JSON|POST|TCP|TLS|URL|UTC|MB)$/
/** Not the files of accounts, whose names have that of the account. */
const OWN_FILE =
  /^(?:accounts|audit-head|chat-updates|config|console-key|cross-trade(?:-pages|-running)?|hooks|last-seen|listener(?:-key)?|notice-results|notices-unsent|panic|practice-market|sign-in|stops|tasks(?:-driver)?|trusted-clients|vars|aliases|guards|vault|web-settings)\.json$|^(?:audit|cross-trade-state|equity|notes|orders|run-output|runs|tasks)\.jsonl$|^hookline\.log$|^main\.cjs$/

/**
 * @param values of the operator: none of them passes, neither whole nor as a word
 * @returns text → the same with `#` for each word that is not known to be harmless
 */
export function createRedaction(values: ReadonlySet<string>): (text: string) => string {
  const longestFirst = [...values].filter((value) => /\s/.test(value)).sort((a, b) => b.length - a.length)
  const words = new Set([...values].map((value) => value.toLowerCase()))
  const isHarmless = (word: string): boolean =>
    !words.has(word.toLowerCase()) && (PROSE.test(word) || KNOWN_CAPITALS.test(word) || OWN_FILE.test(word))
  const redactWord = (word: string): string => {
    const [, before = '', inner = '', after = ''] = /^([`'"([{]*)(.*?)([`'")\]},;:.!?]*)$/s.exec(word) ?? []
    if (inner === '' || isHarmless(inner)) return word
    const file = /[^\\/]*$/.exec(inner)?.[0] ?? ''
    return `${before}${OWN_FILE.test(file) ? file : REDACTED}${after}`
  }
  return (text) => {
    const withoutValues = longestFirst.reduce((rest, value) => rest.replaceAll(value, REDACTED), text)
    // What is quoted came from outside.
    const withoutQuoted = withoutValues.replaceAll(/`[^`]*`|"[^"]*"|(?<!\w)'[^']*'(?!\w)/g, REDACTED)
    return withoutQuoted
      .split(/\s+/)
      .map(redactWord)
      .join(' ')
      .replaceAll(/#(?: #)+/g, REDACTED)
      .slice(0, 400)
  }
}

/** Words of the program that a value may be without being the operator's own. */
const PUBLIC_VALUES = new Set(['paper', 'true', 'false'])

/** Every text in the files of state, and every value in the environment that hookline reads. */
function valuesOf(directory: string, env: NodeJS.ProcessEnv): ReadonlySet<string> {
  const texts = Object.entries(env).flatMap(([name, value = '']) => (name.startsWith('HOOKLINE_') ? [value] : []))
  for (const name of namesIn(directory, /\.json(?:\.v\d+)?$/)) texts.push(...textsIn(join(directory, name)))
  return new Set(texts.filter((text) => text.length > 1 && !PUBLIC_VALUES.has(text)))
}

function textsIn(path: string): readonly string[] {
  let text = ''
  try {
    text = readRecord(path)
    const found: string[] = []
    JSON.parse(text, (_key, value: unknown) => {
      if (typeof value === 'string') found.push(value)
      return value
    })
    return found
  } catch {
    // Not JSON, maybe by one comma: whatever is quoted in it is the operator's.
    return [...text.matchAll(/"([^"]*)"/g)].map(([, quoted = '']) => quoted)
  }
}
