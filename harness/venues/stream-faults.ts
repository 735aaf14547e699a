// What can go wrong between a venue's stream and who listens to it.

export interface StreamFaults {
  /** So many of the next private events are lost. */
  drop: number
  /** Every private event comes so often. */
  copies: number
  /** And so much later. */
  delayMs: number
  /** Nothing is said at all, on any socket; what would have been said is lost. */
  isSilent: boolean
  /** New sockets are refused. */
  isClosed: boolean
}

export function noStreamFaults(): StreamFaults {
  return { drop: 0, copies: 1, delayMs: 0, isSilent: false, isClosed: false }
}

/** Says one private event as the faults have it: not at all, several times, late. */
export function tellThrough(faults: StreamFaults, say: () => void): void {
  if (faults.drop > 0) {
    faults.drop -= 1
    return
  }
  const sayAll = () => {
    for (let copy = 0; copy < faults.copies; copy += 1) say()
  }
  if (faults.delayMs > 0) setTimeout(sayAll, faults.delayMs).unref()
  else sayAll()
}
