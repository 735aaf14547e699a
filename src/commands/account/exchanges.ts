// `exchanges`: where an account can be, what is traded there, and how far hookline has been proven with each.
import { allVenues, type Proof, type ReportDelay, type Venue } from '../../exchanges/venues.ts'
import type { SingleCommand } from '../kit/command.ts'
import { renderTable } from '../kit/lines.ts'
import { readText, refuseMoreThan } from '../kit/read-arguments.ts'
import { credentialWords } from './account-words.ts'

const PROOF_ORDER: readonly Proof[] = ['built-in', 'stand-in', 'cases', 'unproven']

/** What each word of the second column stands for. */
const PROOF_WORDS: readonly (readonly [proof: Proof, meaning: string])[] = [
  [
    'stand-in',
    'the whole program was driven against a stand-in of its linear market; other markets have written cases',
  ],
  ['cases', 'what is sent and read was compared with written cases, and the contract was played on a model of it'],
  ['unproven', 'works as ccxt does, and is not tested here; start with `--demo` or small orders'],
]

const SCORE_MEANING = "%: the share of planted bugs in the exchange's code that the tests catch"

const COLUMNS = [
  { title: 'exchange' },
  { title: 'proven by' },
  { title: 'markets' },
  { title: 'demo' },
  { title: 'asks for' },
] as const

/** Cells of a line of ids. */
const LINE_CELLS = 76

export const exchanges: SingleCommand = {
  name: 'exchanges',
  group: 'account',
  usage: '[filter]',
  summary: 'supported exchanges, with their markets, demo, keys and proofs',
  where: 'anywhere',
  rows: true,
  underPanic: true,
  immediate: true,
  examples: [
    { line: 'exchanges', meaning: 'those that are proven, and the names of the others' },
    { line: 'exchanges okx', meaning: 'details of those with okx in the name' },
  ],
  complete: ({ words }) => (words.length === 0 ? tradable().map(({ id }) => id) : []),
  run(context, args) {
    refuseMoreThan(1, args)
    const filter = args[0] === undefined ? '' : readText(args[0]).toLowerCase()
    const found = tradable().filter(({ id, name }) => id.includes(filter) || name.toLowerCase().includes(filter))
    const data = { type: 'exchanges', exchanges: found.map(describe) } as const
    if (found.length === 0) return context.out.info(`no exchange has ${filter} in its name`, data)
    const shown = filter === '' ? found.filter(({ proof }) => proof !== 'unproven') : found
    const others = found.filter((venue) => !shown.includes(venue)).map(({ id }) => id)
    const lines = [renderTable(COLUMNS, shown.map(cellsOf)), '', ...legendOf(found)]
    if (others.length > 0) lines.push('', ...wrap(`unproven: ${others.join(', ')}`))
    context.out.print(lines.join('\n'), data)
  },
}

/** The proven ones first. */
function tradable(): readonly Venue[] {
  const rank = ({ proof }: Venue): number => PROOF_ORDER.indexOf(proof)
  return allVenues()
    .filter(({ canTrade }) => canTrade)
    .sort((left, right) => rank(left) - rank(right))
}

function describe({ id, name, kinds, demo, credentials, proof, score, attached, reportedWithinS }: Venue) {
  return {
    id,
    name,
    kinds,
    demo,
    credentials,
    proof,
    ...(score && { score }),
    ...(attached && { attached }),
    ...(reportedWithinS && { reportedWithinS }),
  }
}

/** Rounded down: 100 % are all. */
function proofOf({ proof, score }: Venue): string {
  return score === undefined ? proof : `${proof} ${Math.floor((100 * score.killed) / score.of)} %`
}

function cellsOf(venue: Venue): readonly string[] {
  const { id, kinds, demo, credentials } = venue
  // What follows a comma is for those who are asked.
  const asked = credentials.map((name) => credentialWords(venue, name).split(',')[0]).join(', ')
  return [id, proofOf(venue), kinds.join(' '), demo ? 'yes' : 'no', asked === '' ? 'nothing' : asked]
}

function legendOf(found: readonly Venue[]): readonly string[] {
  const proofs = new Set(found.map(({ proof }) => proof))
  const legend = PROOF_WORDS.filter(([proof]) => proofs.has(proof)).map(([proof, meaning]) => `${proof}: ${meaning}`)
  const carried = found.flatMap(({ id, attached = [] }) => (attached.length > 0 ? [`${id} ${attached.join(' ')}`] : []))
  return [
    ...legend,
    ...(found.some(({ score }) => score !== undefined) ? [SCORE_MEANING] : []),
    ...(carried.length > 0 ? [`the stop is sent with the entry: ${carried.join(', ')}`] : []),
    ...delaysOf(found),
  ]
}

/** How soon a trader sees what was done elsewhere, and where that takes longer. */
function delaysOf(found: readonly Venue[]): readonly string[] {
  const delays = found.flatMap(({ id, reportedWithinS }) =>
    reportedWithinS === undefined ? [] : [{ id, ...reportedWithinS }],
  )
  if (delays.length === 0) return []
  const most = Math.max(...delays.map(({ streams }) => streams))
  const slower = delays.flatMap(({ id, ...each }) => exceptionOf(id, each) ?? [])
  return [`changes on the exchange's own page are reported within ${most} s`, ...slower]
}

function exceptionOf(id: string, { streams, asked, isOfKnownSymbols }: ReportDelay): string | undefined {
  if (isOfKnownSymbols === true) return `${id}, streams down: only symbols with orders of hookline`
  return asked === streams ? undefined : `${id}, streams down: within ${asked} s`
}

function wrap(text: string): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= LINE_CELLS) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
