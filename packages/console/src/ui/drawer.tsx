import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from './button.tsx'
import { DrawerFrame } from './dialog.tsx'
import { PlainText } from './plain-text.tsx'

interface DrawerProps {
  title: string
  onClose: () => void
  /** Buttons beside the title. */
  actions?: ReactNode
  children: ReactNode
}

/** The details of a row. `Esc` closes them. */
export function Drawer({ title, onClose, actions, children }: DrawerProps) {
  return (
    <DrawerFrame label={title} onClose={onClose}>
      <header className="flex min-h-[52px] items-center gap-2 border-b border-line px-5">
        <h2 className="min-w-0 flex-1 truncate text-base font-semibold">
          <PlainText>{title}</PlainText>
        </h2>
        {actions}
        <IconButton label="Close" onClick={onClose}>
          <X size={16} aria-hidden />
        </IconButton>
      </header>
      <section
        aria-label={`${title}: details`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard (WCAG 2.1.1)
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto p-5"
      >
        {children}
      </section>
    </DrawerFrame>
  )
}

/** Name and value pairs of a drawer. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="grid grid-cols-[minmax(7rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-1.5">{children}</dl>
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-faint">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  )
}
