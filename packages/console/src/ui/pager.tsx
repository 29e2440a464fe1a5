import { useSearchParams } from 'react-router'
import { useAddress } from './address.ts'
import { Button } from './button.tsx'

/** The cursor of the page that the address names, for the query of a list. */
export function useCursor(): string | undefined {
  const [search] = useSearchParams()
  return search.get('cursor') ?? undefined
}

/** The count of a list and a link to the next page. The browser's back button returns to the previous page. */
export function Pager({ next, count }: { next: string | null | undefined; count?: string | undefined }) {
  const { search, change } = useAddress()
  const go = (cursor: string | null) => change({ cursor })
  return (
    <nav aria-label="Pages of the list" className="flex min-h-[50px] items-center gap-2 border-t border-line px-4">
      <p className="flex-1 text-faint tabular-nums">{count}</p>
      <Button
        disabled={!search.has('cursor')}
        title={search.has('cursor') ? undefined : 'This is the first page'}
        onClick={() => go(null)}
      >
        First page
      </Button>
      <Button disabled={!next} title={next ? undefined : 'This is the last page'} onClick={() => next && go(next)}>
        Next page
      </Button>
    </nav>
  )
}
