import type { ReactNode } from 'react'

/** An empty list, with the reason and the first step. */
export function EmptyState({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-1.5 px-4 py-16 text-center">
      <p className="font-medium">{title}</p>
      <div className="max-w-md text-soft">{children}</div>
      {action ? <div className="mt-3">{action}</div> : null}
    </div>
  )
}

/** Grey lines with the height of the expected text, so that nothing moves when it arrives. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-2.5">
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
        <span key={line} className={`skeleton h-4 ${line % 3 === 2 ? 'w-1/2' : 'w-full'}`} />
      ))}
    </div>
  )
}
