import type { ReactNode } from 'react'

/** A surface with a border, for lists and forms. */
export function Panel({ children, className = '' }: { children: ReactNode; className?: string }) {
  return <div className={`overflow-x-auto rounded-lg border border-line bg-surface ${className}`}>{children}</div>
}
