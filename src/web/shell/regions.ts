// F6: from region to region of the desk, from top to bottom.

/** Everything of the page that is seen and has a name. */
function regions(): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('[data-region]')].filter((region) => region.checkVisibility())
}

export function focusRegionAfter(by: 1 | -1): void {
  const all = regions()
  const current = document.activeElement?.closest<HTMLElement>('[data-region]')
  const index = current ? all.indexOf(current) : by > 0 ? -1 : 0
  const next = all.at((index + by) % all.length)
  if (next === undefined) return
  if (next.dataset.region === 'Terminal') next.querySelector<HTMLElement>('.input-line input')?.focus()
  else next.focus()
}
