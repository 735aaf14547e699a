// Takes secrets out of what is about to leave the adapter. ccxt's errors carry signed URLs, bodies and headers. What is known to be secret is
// found in every spelling that a request or an error can give it; what only looks like a secret (signatures, listen keys) goes by its shape.
import { remembering } from '../../base/remembering.ts'

const HIDDEN = '<hidden>'
/** A shorter one would be found everywhere: a text that has it is not shown at all. */
const SHORTEST_SECRET = 4
const MAX_LENGTH = 400
const MAX_CAUSES = 4

/** A URL's query holds keys and signatures, and so may what a form sends as its body. */
const QUERY = /\b((?:https?|wss?):\\*\/\\*\/[^\s?"'<>]*)\?(?:<hidden>|[^\s"'<>])*/gi
/** `listenKey=…`, `"signature":"…"`, `X-MBX-APIKEY: …` */
const NAMED =
  /((?:x-[a-z-]*|[a-z_-]*)(?:api-?_?key|listen-?_?key|signature|sign|secret|pass(?:phrase|word)|token|authorization|cookie)["'\\]*\s*[=:]\s*["'\\]*)(?:(?:bearer|basic)\s+)?[^\s&"'\\,;})]+/gi
/** Signatures in hexadecimal or base64, private keys and listen keys; the ids of orders are shorter. */
const LONG = /[A-Za-z0-9+/_=-]{40,}/g

/** The text without secrets, of one line and cut at a length. */
export function redact(text: string, secrets: Iterable<string>): string {
  const rest = hideSecrets(text, secrets)
    .replace(QUERY, `$1?${HIDDEN}`)
    .replace(NAMED, `$1${HIDDEN}`)
    .replace(LONG, HIDDEN)
  const line = rest.replace(/\s+/g, ' ').trim()
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line
}

/** The text without these secrets in any spelling, and otherwise whole. */
export function hideSecrets(text: string, secrets: Iterable<string>): string {
  let rest = text
  for (const secret of new Set(secrets)) {
    if (secret === '') continue
    if (secret.length < SHORTEST_SECRET && rest.includes(secret)) return HIDDEN
    rest = rest.replace(spellings(secret), HIDDEN)
  }
  return rest
}

/**
 * An error of any kind as one that may be kept and shown: its name, its message and its causes without secrets, and nothing else that it
 * carries. The stack says where, and no longer what.
 */
export function redactError(error: unknown, secrets: Iterable<string>, depth = MAX_CAUSES): Error {
  const known = [...secrets]
  if (!(error instanceof Error)) return new Error(redact(String(error), known))
  const cause =
    error.cause === undefined || depth === 0 ? undefined : { cause: redactError(error.cause, known, depth - 1) }
  const safe = new Error(redact(error.message, known), cause)
  safe.name = redact(error.name, known)
  const frames = /\n\s+at [\s\S]*$/.exec(error.stack ?? '')?.[0] ?? ''
  safe.stack = `${safe.name}: ${safe.message}${frames
    .split('\n')
    .map((frame) => redactFrame(frame, known))
    .join('\n')}`
  return safe
}

/** A frame's path may be long; only what is known to be secret is taken out. */
function redactFrame(frame: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .reduce((rest, secret) => rest.replace(spellings(secret), HIDDEN), frame)
}

/** Matches the secret as it is, percent-encoded, escaped as in JSON any number of times, in base64 at any offset, and in hexadecimal. */
const spellings = remembering((secret): RegExp => {
  const bytes = Buffer.from(secret)
  const cores = [0, 1, 2].map((offset) => base64Core(bytes, offset)).filter((core) => core.length >= 6)
  const urlCores = cores.map((core) => core.replaceAll('+', '-').replaceAll('/', '_'))
  const sources = [spelled(secret), ...[...cores, ...urlCores].map((core) => core.replace(/[^A-Za-z0-9]/g, spelled))]
  sources.push(
    [...bytes.toString('hex')]
      .map((digit) => (/[a-f]/.test(digit) ? `[${digit}${digit.toUpperCase()}]` : digit))
      .join(''),
  )
  return new RegExp(sources.sort((a, b) => b.length - a.length).join('|'), 'g')
}, 200)

/** The part of the secret's base64 that does not depend on what is beside it, when it begins at `offset` of three bytes. */
function base64Core(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replace(/=+$/, '')
  const skipped = [0, 2, 3][offset] ?? 0
  const isCut = (bytes.length + offset) % 3 !== 0
  return text.slice(skipped, isCut ? -1 : undefined)
}

function spelled(text: string): string {
  return [...text].map(spelledCharacter).join('')
}

/** One character, however it is escaped. */
function spelledCharacter(character: string): string {
  const units = [...Array(character.length).keys()].map((index) => hex(character.charCodeAt(index), 4))
  const percents = [...Buffer.from(character)].map((byte) => `%(?:25)*${hex(byte, 2)}`).join('')
  const ways = [`\\\\*${escaped(character)}`, percents, units.map((unit) => String.raw`\\+u${unit}`).join('')]
  const code = character.codePointAt(0) ?? 0
  if (code < 256) ways.push(String.raw`\\+x${hex(code, 2)}`)
  if (character in CONTROL) ways.push(String.raw`\\+${CONTROL[character]}`)
  if (character === ' ') ways.push(String.raw`\+`)
  return `(?:${ways.join('|')})`
}

const CONTROL: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f' }

/** Digits of either case. */
function hex(value: number, length: number): string {
  const digits = value.toString(16).padStart(length, '0')
  return [...digits].map((digit) => (/[a-f]/.test(digit) ? `[${digit}${digit.toUpperCase()}]` : digit)).join('')
}

function escaped(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
