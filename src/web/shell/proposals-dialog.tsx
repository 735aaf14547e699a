// Lines that clients propose: all that each would order, the words of its client last, and a yes that is held. A yes is of what is shown: hookline
// refuses one whose proposal has changed meanwhile.
import { useEffect, useRef, useState } from 'react'
import { printable } from '../../language/printable.ts'
import type { ProposalRow } from '../../protocol/desk-frames.ts'
import type { Preview, PreviewOrder } from '../../protocol/preview.ts'
import { isOpen } from '../../protocol/rows.ts'
import { Dialog } from '../components/dialog.tsx'
import { HeldButton } from '../components/held-button.tsx'
import { toast } from '../components/toasts.tsx'
import { describeFailure } from '../console.ts'
import { showFigure, showMoney, showPrice, showSignedMoney, sumOf, toneOf } from '../figures.ts'
import { type Consequence, consequencesOf, feesWord, refusalsOf } from '../preview/consequences.ts'
import { ConsequenceRows } from '../preview/preview.tsx'
import { isLive, whyNoCommands } from '../state/console-state.ts'
import { useConsole, useDesk } from '../state/use-console.ts'

const MAX_LABEL = 40
const MAX_REASON = 300

export default function ProposalsDialog({ onClose }: { readonly onClose: () => void }) {
  const all = useDesk(({ proposals }) => proposals)
  const isConnected = useDesk((state) => isLive(state) && state.silentSince === undefined)
  const open = all?.filter(isOpen) ?? []
  return (
    <Dialog title="Proposals" onClose={onClose}>
      <div className="grid gap-5">
        {open.length === 0 && <p>No proposal is open.</p>}
        {/* What has changed is another question: a press that has begun ends. */}
        {open.map((proposal) => (
          <ProposalCard key={`${proposal.id} ${proposal.digest}`} proposal={proposal} isConnected={isConnected} />
        ))}
      </div>
      <div className="to-end cluster dialog-actions">
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  )
}

interface ProposalCardProps {
  readonly proposal: ProposalRow
  readonly isConnected: boolean
}

function ProposalCard({ proposal, isConnected }: ProposalCardProps) {
  const { id, label, clientId, account, symbol, line, reason, state, until, digest, preview } = proposal
  const noCommands = useDesk(whyNoCommands)
  const { decide, isSending, problem } = useDecision(proposal)
  const client = printable(label, MAX_LABEL) || clientId.slice(0, 8)
  const refusals = preview === undefined ? [] : refusalsOf(preview)
  const isUsable = isConnected && !isSending
  const rows = preview === undefined ? [] : everyConsequence(preview, account)
  return (
    <section className="grid breaks" aria-labelledby={`proposal-${id}`}>
      <h3 id={`proposal-${id}`} data-first tabIndex={-1}>
        {client} proposes {id} on {account}
      </h3>
      <p>
        <code>{printable(line)}</code>
      </p>
      {state === 'changed' && (
        <p className="refusal" role="alert">
          It changed since it was first shown: read it again.
        </p>
      )}
      <div className="round raised foreseen grid">
        <ConsequenceRows rows={rows} />
        {refusals.map((text) => (
          <p key={text} className="refusal">
            {text}
          </p>
        ))}
        {preview?.notes.map((text) => (
          <p key={text} className="muted">
            {text}
          </p>
        ))}
      </div>
      <p className="text-2 muted">
        Client {printable(clientId, 8)}; {symbol} where the line names no symbol. <Countdown until={until} />
      </p>
      <figure className="grid gap-1">
        <figcaption className="text-2 muted">Reason, in the client’s own words:</figcaption>
        <p className="round raised foreseen">{printable(reason, MAX_REASON)}</p>
      </figure>
      {problem !== undefined && (
        <p className="refusal" role="alert">
          {problem}
        </p>
      )}
      <div className="to-end cluster">
        <button type="button" className="button" disabled={!isUsable} onClick={() => void decide('deny')}>
          Deny
        </button>
        {digest === undefined ? (
          <p>
            Approve it in the hookline terminal: <code>approve {id}</code>
          </p>
        ) : (
          <HeldButton
            className="button primary"
            label={`Hold to approve ${id}`}
            disabled={!isUsable || noCommands !== undefined || refusals.length > 0}
            title={noCommands}
            onHeld={() => void decide('approve')}
            question={{
              title: `Run it on ${account}?`,
              body: (
                <>
                  <p>
                    <code>{printable(line)}</code>
                  </p>
                  <ConsequenceRows rows={rows} />
                </>
              ),
              yes: 'Run it',
              no: 'Not now',
            }}
          >
            Hold to approve
          </HeldButton>
        )}
      </div>
    </section>
  )
}

/** One answer at a time. The one that has come closes the card: hookline sends the topic anew. */
function useDecision({ id, digest }: ProposalRow) {
  const { ask } = useConsole()
  const isUnderWay = useRef(false)
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState<string>()
  const decide = async (decision: 'approve' | 'deny') => {
    if (isUnderWay.current || digest === undefined) return
    isUnderWay.current = true
    setSending(true)
    setProblem(undefined)
    try {
      if (decision === 'deny') await ask.deny(id)
      const runId = decision === 'approve' ? (await ask.approve(id, digest)).proposal.runId : undefined
      toast({ tone: 'success', text: `${decision === 'approve' ? 'Approved' : 'Denied'} proposal ${id}`, runId })
    } catch (error) {
      setProblem(describeFailure(error))
    } finally {
      isUnderWay.current = false
      setSending(false)
    }
  }
  return { decide, isSending, problem }
}

function Countdown({ until }: Pick<ProposalRow, 'until'>) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.ceil((until - now) / 1_000))
  return (
    <span className="countdown" role="timer">
      Open for {Math.floor(seconds / 60)} min {seconds % 60} s.
    </span>
  )
}

// --- every order, cancel, change and task, with none left out: what is approved is what was seen

const NOTHING = { orders: [], cancels: [], changes: [], settings: [], tasks: [], positions: [] }

export function everyConsequence(preview: Preview, account: string): Consequence[] {
  const { orders, cancels, changes, tasks, positions, settings, limits = [] } = preview
  const of = (part: Partial<Preview>) => consequencesOf({ ...preview, ...NOTHING, ...part })
  const place = (row: { readonly account: string }) => (row.account === account ? '' : ` on ${row.account}`)
  const titled = (row: { readonly account: string }, rows: Consequence[]) =>
    rows.map((each) => ({ ...each, title: `${each.title}${place(row)}` }))
  return [
    ...totals(orders),
    ...orders.flatMap((order, index) => [
      {
        title: orders.length === 1 ? 'Order' : `Order ${index + 1}`,
        value: `${orderText(order)}${place(order)}`,
        ...(order.account === account ? {} : { tone: 'warn' as const }),
      },
      ...of({ orders: [order] }),
    ]),
    ...cancels.flatMap((cancel) => titled(cancel, of({ cancels: [cancel] }))),
    ...changes.flatMap((change) => titled(change, of({ changes: [change] }))),
    ...tasks.flatMap((task) => titled(task, of({ tasks: [task] }))),
    ...settings.flatMap((setting) => titled(setting, of({ settings: [setting] }))),
    ...positions.flatMap((position) => titled(position, of({ positions: [position] }))),
    ...limits.map((limit) => ({
      title: `Limit ${limit.limit}${place(limit)}`,
      value: `${limitText(limit)} used`,
    })),
  ]
}

function orderText({
  type,
  side,
  symbol,
  price,
  triggerPrice,
  reduceOnly,
  postOnly,
  timeInForce,
}: PreviewOrder): string {
  return [
    `${type} ${side} ${symbol}`,
    ...(price === undefined ? [] : [`at ${showPrice(price)}`]),
    ...(triggerPrice === undefined ? [] : [`trigger ${showPrice(triggerPrice)}`]),
    ...(reduceOnly ? ['reduce-only'] : []),
    ...(postOnly ? ['post-only'] : []),
    ...(timeInForce === undefined ? [] : [timeInForce]),
  ].join(', ')
}

function limitText({ limit, after, max }: NonNullable<Preview['limits']>[number]): string {
  const shown = (figure: string) => (limit === 'rate' ? showFigure(figure) : `$${showMoney(figure)}`)
  return `${after === undefined ? 'an unknown part' : shown(after)} of ${shown(max)}`
}

/** Of several orders, where all are counted in the same. */
function totals(orders: readonly PreviewOrder[]): Consequence[] {
  if (orders.length < 2) return []
  const sum = (title: string, figures: readonly (string | undefined)[], names: readonly (string | undefined)[]) => {
    const total = sumOf(figures)
    const [name, ...others] = new Set(names.filter((each) => each !== undefined))
    if (total === undefined || name === undefined || others.length > 0) return []
    return [{ title, total, name }]
  }
  const stops = orders.map(({ stop }) => stop)
  const nets = stops.map((stop) => stop?.net)
  const net = sumOf(nets)
  return [
    ...sum(
      `${orders.length} orders, worth`,
      orders.map(({ notional }) => notional),
      orders.map(({ quote }) => quote),
    ),
    ...sum(
      'All fees',
      orders.map(({ fee }) => fee?.amount),
      orders.map(({ fee }) => fee?.currency),
    ),
    ...sum(
      'All margin',
      orders.map(({ margin }) => margin?.amount),
      orders.map(({ margin }) => margin?.currency),
    ),
  ]
    .map(({ title, total, name }): Consequence => ({ title, value: `${showMoney(total)} ${name}` }))
    .concat(
      sum(
        `If all stops are hit, ${feesWord(net)}`,
        net === undefined ? stops.map((stop) => stop?.pnl) : nets,
        stops.map((stop) => stop?.currency),
      ).map(({ title, total, name }) => ({ title, value: `${showSignedMoney(total)} ${name}`, tone: toneOf(total) })),
    )
}
