// Shown in place of the chart where the symbol of the address is of no market.
import { useEffect, useState } from 'react'
import {
  askForSymbols,
  fittingSymbols,
  knownSymbols,
  useFavourites,
  useGoToSymbol,
} from '../../shell/account-symbol-picker.tsx'
import { useConsole, useDeskParts } from '../../state/use-console.ts'

/** Of an address whose symbol is of no market: what may be meant, one click away. */
export default function UnlistedSymbol({ symbol, account }: { readonly symbol: string; readonly account: string }) {
  const console = useConsole()
  const go = useGoToSymbol()
  const known = knownSymbols(useDeskParts('focus', 'portfolio', 'tasks'))
  const favourites = useFavourites(({ symbols }) => symbols)
  const [listed, setListed] = useState<readonly string[]>()
  useEffect(() => {
    let isOver = false
    void likelySymbols(symbol, (word) => askForSymbols(console, word)).then((found) => isOver || setListed(found))
    return () => {
      isOver = true
    }
  }, [console, symbol])
  const near = listed?.length === 0 ? fittingSymbols({ wanted: '', favourites, known, listed }) : (listed ?? [])
  return (
    <div className="gap-3 grid muted empty">
      <p>{`${account} has no symbol ${symbol}.`}</p>
      <div className="cluster">
        {near
          .filter((each) => each !== symbol)
          .map((each) => (
            <button key={each} type="button" className="button small" onClick={() => go(each, { replace: true })}>
              {each}
            </button>
          ))}
      </div>
    </div>
  )
}

const MOST_LIKELY = 4
const SHORTEST_WORD = 2

/** Markets that begin as it does: the longest beginning that has any. @param ask the account's markets that begin with a word */
export async function likelySymbols(
  symbol: string,
  ask: (word: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  for (let length = symbol.length; length >= SHORTEST_WORD; length--) {
    const listed = await ask(symbol.slice(0, length))
    if (listed.length > 0) return listed.slice(0, MOST_LIKELY)
  }
  return []
}
