import { type ReactNode, useEffect } from 'react'
import { PlainText } from './plain-text.tsx'

interface PageHeaderProps {
  title: string
  /** The purpose of the page, in one line. */
  lead?: ReactNode
  /** Buttons at the right. */
  children?: ReactNode
}

/** The top of a page, which also sets the title of the browser tab. */
export function PageHeader({ title, lead, children }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} · Console`
  }, [title])
  return (
    <header className="flex flex-wrap items-center gap-x-4 gap-y-2 pb-4">
      <div className="min-w-0 flex-1 basis-60">
        <h1 title={title} className="line-clamp-3 text-lg font-semibold tracking-tight [overflow-wrap:anywhere]">
          <PlainText>{title}</PlainText>
        </h1>
        {lead ? <div className="text-soft">{lead}</div> : null}
      </div>
      {children ? <div className="flex flex-wrap gap-2">{children}</div> : null}
    </header>
  )
}
