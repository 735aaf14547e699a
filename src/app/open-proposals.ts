// Proposals of this process: their journal, their runs, and what the terminal is notified of.
import { defined } from '../base/defined.ts'
import type { CommandPorts, ProposalPort } from '../commands/kit/ports.ts'
import type { CommandLookup } from '../commands/kit/resolve.ts'
import { describeProposal } from '../commands/listener/proposals.ts'
import { printable } from '../language/printable.ts'
import { isOpen } from '../protocol/rows.ts'
import type { RunRequest, RunResult } from '../runs/run.ts'
import type { Proposals } from '../runtime/proposals.ts'
import type { Runner } from '../runtime/runner.ts'
import { namesIn } from '../stores/directory.ts'
import { watchFile } from '../stores/directory-watch.ts'
import type { Proposal, ProposalBook, ProposalStore } from '../stores/proposals.ts'
import type { Notice } from './app-events.ts'

const PROPOSALS_FILE = 'proposals.jsonl'

interface ProposalWorkOptions {
  readonly directory: string
  readonly ports: () => CommandPorts
  readonly lookup: CommandLookup
  readonly runner: () => Pick<Runner, 'run' | 'addSink'>
  readonly now: () => number
  readonly bug: (error: unknown) => void
}

export interface ProposalWork {
  readonly port: ProposalPort
  close(): Promise<void>
}

/** None of its code is loaded before there is a proposal, or the first question about one. */
export function openProposals({ directory, ports, lookup, runner, now, bug }: ProposalWorkOptions): ProposalWork {
  let opening: Promise<{ readonly desk: Proposals; readonly store: ProposalStore }> | undefined
  const open = async () => {
    const [{ Proposals }, { openProposalStore }] = await Promise.all([
      import('../runtime/proposals.ts'),
      import('../stores/proposals.ts'),
    ])
    const store = openProposalStore(directory)
    const run = (request: RunRequest) => runToEnd(runner(), request)
    return { store, desk: new Proposals({ store, ports, lookup, run, now, onBug: bug }) }
  }
  const desk = async () => {
    opening ??= open()
    return (await opening).desk
  }
  return {
    port: {
      list: async () => (await desk()).list(),
      find: async (id) => (await desk()).find(id),
      propose: async (by, proposed) => (await desk()).propose(by, proposed),
      withdraw: async (clientId, id) => (await desk()).withdraw(clientId, id),
      deny: async (id) => (await desk()).deny(id),
      denyAll: async (forMs) => (await desk()).denyAll(forMs),
      lookAgain: async (id) => (await desk()).lookAgain(id),
      approve: async (shown, requireMay) => (await desk()).approve(shown, requireMay),
      follow(changed) {
        let isOver = false
        let isLoading = false
        const stops = [watchFile(directory, PROPOSALS_FILE, look)]
        function look(): void {
          if (isLoading || isOver || namesIn(directory, /^proposals\.jsonl$/).length === 0) return
          isLoading = true
          desk().then((loaded) => {
            if (!isOver) stops.push(loaded.follow(changed))
          }, bug)
        }
        look()
        return () => {
          isOver = true
          for (const stop of stops) stop()
        }
      },
    },
    async close() {
      await (await opening)?.store.close()
    },
  }
}

/** The result of a run, with what it brought. */
async function runToEnd(
  runner: Pick<Runner, 'run' | 'addSink'>,
  request: RunRequest,
): Promise<RunResult & { readonly outcome?: string }> {
  let outcome: string | undefined
  const stop = runner.addSink({
    done(run, _result, end) {
      if (run.runId === request.runId) outcome = end.outcome
    },
  })
  try {
    return { ...(await runner.run(request)), ...defined({ outcome }) }
  } finally {
    stop()
  }
}

/** What a person at a terminal reads of proposals as they change; those that ended before are left out. */
export function proposalNotices(
  notify: (notice: Notice) => void,
  marketsOf: CommandPorts['marketsOf'],
): (book: ProposalBook) => void {
  let known: ReadonlyMap<string, Proposal> | undefined
  return ({ proposals }) => {
    const before = known
    known = new Map(proposals.map((each) => [each.id, each]))
    for (const proposal of proposals) {
      const notice = noticeOf(before?.get(proposal.id), proposal, marketsOf)
      if (notice !== undefined) notify(notice)
    }
  }
}

function noticeOf(
  before: Proposal | undefined,
  now: Proposal,
  marketsOf: CommandPorts['marketsOf'],
): Notice | undefined {
  const { id, state, why } = now
  const label = printable(now.label, 40)
  if (state === before?.state) return undefined
  if (before === undefined) {
    if (!isOpen(now)) return undefined
    return {
      kind: 'warn',
      text: `${label} proposes a line; \`approve ${id}\` or \`deny ${id}\`\n${describeProposal(now, marketsOf)}`,
    }
  }
  if (state === 'withdrawn') return { kind: 'info', text: `${label} has withdrawn proposal ${id}` }
  if (state !== 'expired') return undefined
  return { kind: 'info', text: `proposal ${id} has expired${why === undefined ? '' : `: ${why}`}` }
}
