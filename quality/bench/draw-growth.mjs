// The picture of what grows, docs/growth.svg: one small panel per quantity, both axes logarithmic. A pure function of what was measured;
// for light and dark, without fonts of its own, and with every figure as text for whoever does not see it.
import { costScale, costTicks, formatSize, formatTime, sizeScale, sizeTicks } from './draw-axes.mjs'

/**
 * @typedef {import('./growth.mjs').Panel} Panel
 * @typedef {import('./growth.mjs').Line} Line
 * @typedef {import('./draw-axes.mjs').Box} Box
 * @typedef {{ box: Box, x: (size: number) => number, y: (us: number) => number, us: number, highest: number }} Scale us: in a unit
 */

const WIDTH = 860
const MARGIN = 24
const COLUMNS = 3
const GAP = { x: 22, y: 26 }
const HEAD = 78
const CELL = { width: (WIDTH - 2 * MARGIN - (COLUMNS - 1) * GAP.x) / COLUMNS, height: 240 }
/** From the edges of a cell to its plot. */
const PLOT = { left: 46, right: 4, top: 64, bottom: 38 }
const COLOURS = ['a', 'b']

const STYLE = `
svg { --paper: #fff; --edge: #d1d9e0; --ink: #1f2328; --soft: #59636e; --grid: #eaeef2; --a: #0969da; --b: #bc4c00 }
@media (prefers-color-scheme: dark) {
  svg { --paper: #0d1117; --edge: #3d444d; --ink: #f0f6fc; --soft: #9198a1; --grid: #21262d; --a: #58a6ff; --b: #f0883e }
}
text { font: 11px system-ui, -apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif; fill: var(--soft) }
.paper { fill: var(--paper); stroke: var(--edge) }
.head { font-size: 17px; font-weight: 600; fill: var(--ink) }
.title { font-size: 13px; font-weight: 600; fill: var(--ink) }
.name { fill: var(--ink) }
.strong { font-weight: 600; fill: var(--ink) }
.grid { stroke: var(--grid) }
.axis { stroke: var(--edge) }
.even { stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 0 4.5; stroke-linecap: round }
.line { fill: none; stroke-width: 2; stroke-linejoin: round }
.gap { stroke-dasharray: 4 3 }
.spread { stroke-width: 6; opacity: 0.35 }
.point { stroke: var(--paper); stroke-width: 1.5 }
.cut { stroke: var(--ink); stroke-width: 2 }
.stroke-a { stroke: var(--a) } .stroke-b { stroke: var(--b) }
.fill-a { fill: var(--a) } .fill-b { fill: var(--b) }
`

/**
 * @param {readonly Panel[]} panels of one or two lines @param {string} caption where it was measured
 * @returns {string} SVG
 */
export function drawGrowth(panels, caption) {
  // The last cell is for the key.
  const height = HEAD + Math.ceil((panels.length + 1) / COLUMNS) * (CELL.height + GAP.y) - GAP.y + MARGIN
  const cellAt = (/** @type {number} */ index) => ({
    left: MARGIN + (index % COLUMNS) * (CELL.width + GAP.x),
    top: HEAD + Math.floor(index / COLUMNS) * (CELL.height + GAP.y),
  })
  const hasCuts = panels.some(({ lines }) => lines.some(({ points }) => points.some(({ cut }) => cut !== undefined)))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="growth-title growth-figures">
<title id="growth-title">How costs grow</title>
<desc id="growth-figures">${escapeText(panels.map(describePanel).join(' '))}</desc>
<style>${STYLE}</style>
<rect class="paper" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>
${text(MARGIN, 37, 'How costs grow', 'head')}
${text(MARGIN, 56, caption)}
${panels.map((panel, index) => drawPanel(panel, cellAt(index))).join('\n')}
${drawKey(cellAt(panels.length), hasCuts)}
</svg>
`
}

/** @param {Panel} panel @param {{ left: number, top: number }} cell */
function drawPanel(panel, cell) {
  const box = {
    left: cell.left + PLOT.left,
    right: cell.left + CELL.width - PLOT.right,
    top: cell.top + PLOT.top,
    bottom: cell.top + CELL.height - PLOT.bottom,
  }
  const scale = scaleOf(panel, box)
  return [
    '<g>',
    text(cell.left, cell.top + 12, panel.title, 'title'),
    drawNames(panel, scale, cell),
    drawAxes(panel, scale),
    drawProportion(panel, scale),
    ...panel.lines.map((line, index) => drawLine(panel, line, scale, COLOURS[index])),
    '</g>',
  ].join('\n')
}

/** @param {Panel} panel @param {Box} box @returns {Scale & ReturnType<typeof costScale>} */
function scaleOf({ lines, unit }, box) {
  const us = unit === 'ms' ? 1_000 : 1
  const costs = lines.flatMap(({ points }) => points.flatMap(({ got }) => (got ? [got.min * us, got.max * us] : [])))
  return { box, us, x: sizeScale(sizesOf(lines), box), ...costScale(costs, box) }
}

/** Which colour is which, and by how much it grew. @param {Panel} panel @param {Scale} scale @param {{ left: number, top: number }} cell */
function drawNames({ lines }, { us }, { left, top }) {
  return lines
    .map(({ name, points }, index) => {
      const measured = points.filter(({ got }) => got)
      const [first, last] = [measured[0], measured[measured.length - 1]]
      const ends = [first, last].map(({ got }) => formatTime((got?.median ?? 0) * us)).join(' → ')
      const y = top + 30 + index * 16
      return [
        `<circle class="fill-${COLOURS[index]}" cx="${px(left + 4)}" cy="${y - 4}" r="4"/>`,
        `<text x="${px(left + 13)}" y="${y}"><tspan class="name">${escapeText(name)}</tspan> ${ends} <tspan class="strong" dx="2">× ${formatRatio(last.ratio?.median ?? 1)}</tspan></text>`,
      ].join('')
    })
    .join('\n')
}

/** @param {Panel} panel @param {ReturnType<typeof scaleOf>} scale */
function drawAxes({ lines, grows, sizeUnit }, scale) {
  const { box, x } = scale
  return [
    ...costTicks(scale).flatMap(({ at, label }) => [
      stroke('grid', box.left, at, box.right, at),
      text(box.left - 6, at + 4, label, '', 'end'),
    ]),
    stroke('axis', box.left, box.bottom, box.right, box.bottom),
    ...sizeTicks(sizesOf(lines), x, sizeUnit).flatMap(({ at, label }) => [
      stroke('axis', at, box.bottom, at, box.bottom + 4),
      text(at, box.bottom + 16, label, '', 'middle'),
    ]),
    text((box.left + box.right) / 2, box.bottom + 32, grows, '', 'middle'),
  ].join('\n')
}

/** How steep it is to grow in proportion to the size. @param {Panel} panel @param {Scale} scale */
function drawProportion({ whole, lines }, { x, y, us, highest }) {
  const [first] = lines[0].points
  if (!whole || !first.got || first.size === 0) return ''
  const cost = first.got.median * us
  const last = Math.min(sizesOf(lines).at(-1) ?? 0, first.size * (highest / cost))
  return stroke('even', x(first.size), y(cost), x(last), y((cost * last) / first.size))
}

/** @param {Panel} panel @param {Line} line @param {Scale} scale @param {string} colour */
function drawLine(panel, { name, points }, { box, x, y, us }, colour) {
  const drawn = points.flatMap((point, index) => {
    const previous = points[index - 1]
    if (!point.got || !previous?.got) return []
    const from = [x(previous.size), y(previous.got.median * us)]
    const kind = previous.size === 0 ? 'line gap' : 'line'
    return [stroke(`${kind} stroke-${colour}`, from[0], from[1], x(point.size), y(point.got.median * us))]
  })
  const marks = points.flatMap(({ size, got, cut }) => {
    const at = x(size)
    const title = (/** @type {string} */ says) =>
      `<title>${escapeText(`${name}, ${words(panel, size)}: ${says}`)}</title>`
    const point = got && [
      stroke(`spread stroke-${colour}`, at, y(got.min * us), at, y(got.max * us)),
      `<circle class="point fill-${colour}" cx="${px(at)}" cy="${px(y(got.median * us))}" r="4">${title(figures(got, us))}</circle>`,
    ]
    return [...(point ?? []), ...(cut ? [`<g>${cross(at, box.top + 8)}${title(cut)}</g>`] : [])]
  })
  return [...drawn, ...marks].join('\n')
}

/** @param {{ left: number, top: number }} cell @param {boolean} hasCuts */
function drawKey({ left, top }, hasCuts) {
  const rows = [
    [`<circle class="point fill-a" cx="${left + 12}" cy="-4" r="4"/>`, 'median of all rounds'],
    [stroke('spread stroke-a', left + 12, -13, left + 12, 5), 'from the lowest round to the highest'],
    [stroke('even', left + 2, 2, left + 22, -10), 'as steep as growth in proportion'],
    [text(left + 12, 0, '× 3', 'strong', 'middle'), 'the largest size against the smallest'],
    ...(hasCuts ? [[cross(left + 12, -4), 'cut off by a limit in some rounds']] : []),
  ]
  return [
    '<g>',
    text(left, top + 12, 'How to read this', 'title'),
    ...rows.map(
      ([mark, says], index) =>
        `<g transform="translate(0 ${top + 44 + index * 25})">${mark}${text(left + 34, 0, says)}</g>`,
    ),
    text(left, top + 50 + rows.length * 25, 'Both axes are logarithmic: a step is a factor.'),
    '</g>',
  ].join('\n')
}

/** @param {Panel} panel @returns {string} all its figures as a sentence */
function describePanel(panel) {
  const us = panel.unit === 'ms' ? 1_000 : 1
  const lines = panel.lines.map(({ name, points }) => {
    const said = points.map(({ size, got, cut }) =>
      [words(panel, size), ...(got ? [figures(got, us)] : []), ...(cut ? [cut] : [])].join(' '),
    )
    return `${name}: ${said.join(', ')}`
  })
  return `${panel.title}. ${lines.join('; ')}.`
}

/** @param {Panel} panel @param {number} size */
function words({ grows, sizeUnit }, size) {
  return sizeUnit === undefined ? `${formatSize(size)} ${grows}` : `${grows} of ${formatSize(size, sizeUnit)}`
}

/** @param {import('./rounds.mjs').Spread} got @param {number} us in its unit */
function figures({ median, min, max }, us) {
  return `${formatTime(median * us)} (${formatTime(min * us)} to ${formatTime(max * us)})`
}

/** @param {number} ratio */
function formatRatio(ratio) {
  return ratio >= 9.95 ? ratio.toFixed(0) : ratio >= 0.095 ? ratio.toFixed(1) : ratio.toPrecision(1)
}

/** @param {readonly Line[]} lines */
function sizesOf(lines) {
  return lines[0].points.map(({ size }) => size)
}

/** @param {string} kind @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 */
function stroke(kind, x1, y1, x2, y2) {
  return `<path class="${kind}" d="M${px(x1)} ${px(y1)}L${px(x2)} ${px(y2)}"/>`
}

/** @param {number} x @param {number} y */
function cross(x, y) {
  return stroke('cut', x - 4, y - 4, x + 4, y + 4) + stroke('cut', x - 4, y + 4, x + 4, y - 4)
}

/** @param {number} x @param {number} y @param {string} says @param {string} [kind] @param {'start' | 'middle' | 'end'} [anchor] */
function text(x, y, says, kind, anchor = 'start') {
  const looks = `${kind ? ` class="${kind}"` : ''}${anchor === 'start' ? '' : ` text-anchor="${anchor}"`}`
  return `<text x="${px(x)}" y="${px(y)}"${looks}>${escapeText(says)}</text>`
}

/** @param {number} pixels */
function px(pixels) {
  return String(Number(pixels.toFixed(1)))
}

/** @param {string} says */
function escapeText(says) {
  return says.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
