// `proposals`, and what `approve` and `deny` do to one (behaviour 146): a person at a terminal sees what the line of a client would order now, and
// says yes to that.
import { printable } from '../../language/printable.ts'
import { parseLongDuration } from '../../language/time.ts'
import type { PreviewLimit } from '../../protocol/preview.ts'
import { isOpen } from '../../protocol/rows.ts'
import { WIRE_LIMITS } from '../../protocol/wire-limits.ts'
import type { Proposal } from '../../stores/proposals.ts'
import { showMoment, showMoney, shownZone, showZonedTime } from '../../trading/figures.ts'
import type { CommandContext, CommandForm, Output, SingleCommand } from '../kit/command.ts'
import type { CommandData, ProposalData } from '../kit/data.ts'
import { CommandError } from '../kit/errors.ts'
import { renderTable } from '../kit/lines.ts'
import { printPreview } from '../kit/preview.ts'
import { refuseMoreThan, requireText } from '../kit/read-arguments.ts'

/** As `Proposals` makes them. */
export const PROPOSAL_ID = /^p-[a-z2-9]{8}$/
const MUTE_MS = 3_600_000
const MAX_MUTE_MS = 24 * MUTE_MS
/** Of questions about one proposal that changes under the eyes of the person. */
const MAX_ASKED = 5
const MAX_LISTED = 50

type Ports = 'proposals'

export const proposals: SingleCommand<Ports> = {
  name: 'proposals',
  group: 'listener',
  usage: '[id]',
  summary: 'lines that clients propose, newest last; with an id, what that one would order',
  where: 'trusted',
  rows: true,
  underPanic: true,
  examples: [{ line: 'proposals', meaning: '`approve <id>` runs one, `deny <id>` does not' }],
  details: [
    'A client with the grant `propose` writes a line and why; it runs only after `approve`, which asks at the prompt.',
    'The line runs once, as shown, within the grant of the client. A price that is off by more than 0.5 % is a new question.',
  ],
  async run({ ports, out, marketsOf }, args) {
    const id = args.length === 0 ? undefined : requireText(args, 0, 'the id of a proposal')
    refuseMoreThan(1, args)
    if (id !== undefined) {
      const found = await ports.proposals.find(id)
      return out.print(describeProposal(found, marketsOf), { type: 'proposals', proposals: [dataOf(found)] })
    }
    const all = (await ports.proposals.list()).slice(-MAX_LISTED)
    const data: CommandData = { type: 'proposals', proposals: all.map(dataOf) }
    if (all.length === 0) return out.info('no proposals yet; a client with the grant `propose` makes them', data)
    out.print(renderTable(COLUMNS(), all.map(cellsOf)), data)
  },
}

const COLUMNS = () => ['id', 'state', 'client', 'account', `at (${shownZone()})`, 'line'].map((title) => ({ title }))

function cellsOf(proposal: Proposal): string[] {
  const { id, label, account, at, line } = proposal
  return [id, stateOf(proposal), printable(label, 24), printable(account, 24), showZonedTime(at), printable(line, 60)]
}

function stateOf({ state, run }: Proposal): string {
  return run === undefined ? state : run.success ? 'done' : 'failed'
}

function dataOf({ claim: _c, approver: _a, digest: _d, ...proposal }: Proposal): ProposalData {
  return proposal
}

/** Facts of hookline first; the words of the client last, on a line of their own. */
export function describeProposal(proposal: Proposal, marketsOf: CommandContext['marketsOf']): string {
  const { id, label, origin, clientId, account, symbol, line, reason, until, preview, runId, run, why } = proposal
  const lines: string[] = []
  const add = (text: string) => void lines.push(...text.split('\n').map((each) => `  ${each}`))
  const out: Output = { print: add, success: add, warn: add, error: add, info: add }
  const more = [
    ...(runId === undefined ? [] : [`run ${runId.slice(0, 8)}`]),
    ...given(run?.outcome ?? run?.error ?? why),
  ]
  add(`client   ${printable(label, 60)} (${printable(clientId, 8)} on ${printable(origin, 60)})`)
  add(`account  ${printable(account, 64)}, ${printable(symbol, 64)} where the line names no symbol`)
  add(`state    ${[stateOf(proposal), ...more].map((each) => printable(each, 300)).join(', ')}`)
  if (isOpen(proposal)) add(`open     until ${showMoment(until)}`)
  add(`line     ${printable(line)}`)
  printPreview({ out, marketsOf }, preview)
  for (const limit of preview.limits ?? []) add(describeLimit(limit))
  add(`reason, in the words of the client and not of hookline:`)
  add(`| ${printable(reason, WIRE_LIMITS.reasonLength)}`)
  return [`proposal ${id}`, ...lines].join('\n')
}

function given(text: string | undefined): string[] {
  return text === undefined ? [] : [text]
}

function describeLimit({ account, limit, max, before, after }: PreviewLimit): string {
  const shown = (figure: string) => (limit === 'rate' ? figure : showMoney(figure))
  const used = after === undefined ? 'an unknown part' : shown(after)
  const was = before === undefined ? '' : `, ${shown(before)} without it`
  return `limit ${printable(limit, 20)} of ${printable(account, 40)}: ${used} of ${shown(max)}${was}`
}

/** @throws {CommandError} `needs-person`, `canceled`, or why it cannot run */
export async function approveProposal(context: CommandContext<Ports>, id: string): Promise<void> {
  const { ports, out, confirm } = context
  if (confirm === undefined) {
    throw new CommandError('needs-person', `a person approves proposal ${id} at the prompt, which asks`, {
      hint: 'type it at the prompt of hookline',
    })
  }
  let { proposal, changes } = await ports.proposals.lookAgain(id)
  for (let asked = 0; asked < MAX_ASKED; asked += 1) {
    if (changes !== undefined) out.warn(`proposal ${id} has changed since it was shown: ${changes}`)
    out.print(describeProposal(proposal, context.marketsOf))
    if (!(await confirm(`run it on ${printable(proposal.account, 40)}? y or n >`))) {
      throw new CommandError('canceled', `canceled: proposal ${id} is still open`, { hint: `\`deny ${id}\` ends it` })
    }
    try {
      const { runId, ended } = await ports.proposals.approve(proposal)
      const { clientId, origin, account, line } = proposal
      await context.audit('proposal approve', { id, clientId, origin, account, line, runId })
      out.success(`approved proposal ${id}: run ${runId.slice(0, 8)}`)
      const { success, error } = await ended
      if (!success) throw new CommandError('run-failed', `the run of proposal ${id} failed: ${error ?? 'see it'}`)
      return
    } catch (error) {
      if (!(error instanceof CommandError) || error.code !== 'changed') throw error
      const before = proposal
      ;({ proposal, changes } = await ports.proposals.lookAgain(id))
      if (changes === undefined && before !== proposal) changes = 'it is shown as it is now'
    }
  }
  throw new CommandError('changed', `proposal ${id} changes faster than it can be read`, {
    hint: `\`deny ${id}\` ends it`,
  })
}

/** `<id>`, or `--all [for 1h]`. */
export async function denyProposals(
  context: CommandContext<Ports>,
  args: Parameters<CommandForm['run']>[1],
): Promise<void> {
  const { ports, out } = context
  const first = requireText(args, 0, 'the id')
  if (first !== '--all') {
    refuseMoreThan(1, args)
    const { clientId, line } = await ports.proposals.deny(first)
    out.success(`denied proposal ${first}`)
    return context.audit('proposal deny', { id: first, clientId, line })
  }
  refuseMoreThan(3, args)
  const forMs = args.length === 1 ? MUTE_MS : readFor(args)
  const { denied, until } = await ports.proposals.denyAll(forMs)
  out.success(
    `denied ${denied === 1 ? '1 proposal' : `${denied} proposals`}, and all that come until ${showMoment(until)}`,
  )
  await context.audit('proposal deny', { all: true, denied, until })
}

function readFor(args: Parameters<CommandForm['run']>[1]): number {
  const [word, length] = [requireText(args, 1, '`for`'), requireText(args, 2, 'how long, such as 1h')]
  const forMs = word === 'for' ? parseLongDuration(length, args[2]?.column ?? 1) : 0
  if (forMs > 0 && forMs <= MAX_MUTE_MS) return forMs
  throw new CommandError('bad-argument', 'proposals are denied for up to 24 hours', {
    hint: 'type `deny --all for 1h`',
  })
}
