// What lies under the candles: washes between an entry and what ends it, at the right of the newest candle. It also tells which lines the
// window does not reach: only while it is drawn is that known.
import type { ISeriesPrimitive, SeriesAttachedParameter, Time } from 'lightweight-charts'
import type { ChartColours } from './chart-colours.ts'
import type { ChartLine, Wash } from './chart-lines.ts'

export interface Beyond {
  /** Of the line. */
  readonly id: string
  readonly where: 'above' | 'below'
}

type Target = Parameters<
  NonNullable<
    ReturnType<NonNullable<ReturnType<NonNullable<ISeriesPrimitive['paneViews']>>[number]['renderer']>>
  >['draw']
>[0]

const HELD_ALPHA = 0.14
const DRAFT_ALPHA = 0.2
/** Of the room at the right, what a draft takes. */
const DRAFT_SHARE = 0.5

export class Washes implements ISeriesPrimitive<Time> {
  #washes: readonly Wash[] = []
  #lines: readonly ChartLine[] = []
  #colours: ChartColours | undefined
  #attached: SeriesAttachedParameter<Time> | undefined
  #told = ''
  readonly #onBeyond: (beyond: readonly Beyond[]) => void
  readonly #views = [
    { zOrder: () => 'bottom' as const, renderer: () => ({ draw: (target: Target) => this.#draw(target) }) },
  ]

  /** @param onBeyond not called while it is drawn */
  constructor(onBeyond: (beyond: readonly Beyond[]) => void) {
    this.#onBeyond = onBeyond
  }

  attached(attached: SeriesAttachedParameter<Time>): void {
    this.#attached = attached
  }

  detached(): void {
    this.#attached = undefined
  }

  paneViews() {
    return this.#views
  }

  show(washes: readonly Wash[], lines: readonly ChartLine[], colours: ChartColours): void {
    this.#washes = washes
    this.#lines = lines
    this.#colours = colours
    this.#attached?.requestUpdate()
  }

  #draw(target: Target): void {
    // biome-ignore lint/correctness/useHookAtTopLevel: a way of drawing, and no hook
    target.useMediaCoordinateSpace(({ context, mediaSize: { width, height } }) => {
      for (const wash of this.#washes) this.#drawOne(context, wash, width)
      this.#tellBeyond(height)
    })
  }

  #drawOne(context: CanvasRenderingContext2D, { from, to, tone, isDraft }: Wash, width: number): void {
    const [start, end] = [this.#heightOf(from), this.#heightOf(to)]
    const colours = this.#colours
    if (start === null || end === null || colours === undefined) return
    const newest = this.#newestAt() ?? width
    const left = isDraft ? width - (width - newest) * DRAFT_SHARE : newest
    context.save()
    context.globalAlpha = isDraft ? DRAFT_ALPHA : HELD_ALPHA
    context.fillStyle = colours[tone === 'gain' ? 'long' : 'short']
    context.fillRect(left, Math.min(start, end), Math.max(0, width - left), Math.abs(end - start))
    if (isDraft) {
      context.globalAlpha = 1
      context.strokeStyle = context.fillStyle
      context.setLineDash([3, 3])
      context.strokeRect(left + 0.5, Math.min(start, end), Math.max(0, width - left), Math.abs(end - start))
    }
    context.restore()
  }

  /** Where the newest candle is. */
  #newestAt(): number | undefined {
    const { chart, series } = this.#attached ?? {}
    const last = series?.data().at(-1)
    const at = last === undefined ? null : chart?.timeScale().timeToCoordinate(last.time)
    return at === null || at === undefined ? undefined : at
  }

  #heightOf(price: string): number | null {
    return this.#attached?.series.priceToCoordinate(Number(price)) ?? null
  }

  #tellBeyond(height: number): void {
    const beyond = this.#lines.flatMap((line): Beyond[] => {
      const at = this.#heightOf(line.price)
      if (at === null || (at >= 0 && at <= height)) return []
      return [{ id: line.id, where: at < 0 ? 'above' : 'below' }]
    })
    const told = beyond.map(({ id, where }) => `${id} ${where}`).join('\n')
    if (told === this.#told) return
    this.#told = told
    queueMicrotask(() => this.#onBeyond(beyond))
  }
}
