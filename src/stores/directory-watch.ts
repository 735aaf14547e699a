// Says when to look at a file again. Events of the directory (a rename replaces the file's inode) are a hint that makes
// it quick; looking every second is the truth, for events get lost, and links and network disks send none.
import { type FSWatcher, statSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'

const POLL_MS = 1_000
/** Editors write in several steps: look when they are done. */
const SETTLE_MS = 20
/**
 * Between two polls; then events are ignored until the next one. The journal is in the same directory, and under load it is written
 * thousands of times a second.
 */
const MAX_EVENTS = 100

interface DirectoryWatch {
  readonly looks: Map<symbol, { readonly fileName: string; readonly look: () => void }>
  readonly pending: Map<symbol, NodeJS.Timeout>
  readonly poll: NodeJS.Timeout
  events: FSWatcher | undefined
  /** Until the next poll. */
  eventsLeft: number
  /** Of the directory that `events` belongs to: a directory made again needs a new watcher. */
  inode: bigint | undefined
}

const watches = new Map<string, DirectoryWatch>()

/**
 * Calls `look` soon after `fileName` in `directory` may have changed, and every second anyway. Files of one directory
 * share one watcher. Keeps no process alive. @returns stops the calls
 */
export function watchFile(directory: string, fileName: string, look: () => void): () => void {
  const shared = watches.get(directory) ?? begin(directory)
  const key = Symbol(fileName)
  shared.looks.set(key, { fileName, look })
  return () => {
    shared.looks.delete(key)
    clearTimeout(shared.pending.get(key))
    shared.pending.delete(key)
    if (shared.looks.size > 0 || watches.get(directory) !== shared) return
    watches.delete(directory)
    clearInterval(shared.poll)
    shared.events?.close()
  }
}

/** What is appended in one go is looked at in one go. */
const APPENDED_MS = 5

/**
 * As `watchFile`, for a journal that is asked by: events of the directory come from all that is in it, and are ignored for a while where they are
 * too many; those of the file itself never are.
 */
export function watchFileClosely(path: string, look: () => void): () => void {
  let events: FSWatcher | undefined
  let inode: number | undefined
  let soon: NodeJS.Timeout | undefined
  const lookSoon = (): void => {
    soon ??= setTimeout(() => {
      soon = undefined
      look()
    }, APPENDED_MS).unref()
  }
  const listenToFile = (): void => {
    const now = statSync(path, { throwIfNoEntry: false })?.ino
    if (events !== undefined && now === inode) return
    events?.close()
    events = undefined
    inode = now
    if (now === undefined) return
    try {
      events = watch(path, { persistent: false }, lookSoon).on('error', () => {})
    } catch {
      // The limit of watchers is reached: the directory tells of it.
    }
  }
  const stop = watchFile(dirname(path), basename(path), () => {
    listenToFile()
    look()
  })
  listenToFile()
  return () => {
    stop()
    clearTimeout(soon)
    events?.close()
  }
}

function begin(directory: string): DirectoryWatch {
  const poll = setInterval(() => {
    shared.eventsLeft = MAX_EVENTS
    listen(directory, shared)
    for (const { look } of [...shared.looks.values()]) look()
  }, POLL_MS)
  poll.unref()
  const shared: DirectoryWatch = {
    looks: new Map(),
    pending: new Map(),
    poll,
    events: undefined,
    eventsLeft: MAX_EVENTS,
    inode: undefined,
  }
  watches.set(directory, shared)
  listen(directory, shared)
  return shared
}

/** Makes sure that the events are those of the directory as it is now. Without events there is still the poll. */
function listen(directory: string, shared: DirectoryWatch): void {
  const inode = directoryInode(directory)
  if (shared.events !== undefined && shared.inode === inode) return
  shared.events?.close()
  shared.events = undefined
  shared.inode = inode
  if (inode === undefined) return
  try {
    const stop = () => {
      events.close()
      if (shared.events === events) shared.events = undefined
    }
    const events = watch(directory, { persistent: false }, (_event, name) => {
      lookSoon(shared, name)
      shared.eventsLeft -= 1
      if (shared.eventsLeft === 0) stop()
    })
    events.on('error', stop)
    shared.events = events
  } catch {
    // The limit of watchers is reached, or the directory went away: tried again at the next poll.
  }
}

function directoryInode(directory: string): bigint | undefined {
  try {
    return statSync(directory, { bigint: true, throwIfNoEntry: false })?.ino
  } catch {
    return undefined
  }
}

function lookSoon(shared: DirectoryWatch, name: string | null): void {
  for (const [key, { fileName, look }] of shared.looks) {
    if ((name !== null && name !== fileName) || shared.pending.has(key)) continue
    const timer = setTimeout(() => {
      shared.pending.delete(key)
      look()
    }, SETTLE_MS)
    shared.pending.set(key, timer.unref())
  }
}
