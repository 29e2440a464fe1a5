import { type DOMAttributes, type ReactElement, useRef, useState } from 'react'
import { Focusable, type FocusableElement, Tooltip, TooltipTrigger } from 'react-aria-components'

/** The browser scrolls to what gets the focus, and scrolling closes a hint. */
const settleMs = 150

interface ExplainedProps {
  reason: string
  children: ReactElement<DOMAttributes<FocusableElement>, string>
}

/** Shows the reason of a disabled button when the keyboard reaches it; the pointer has the hint of the browser. */
export function Explained({ reason, children }: ExplainedProps) {
  const [isOpen, setOpen] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const close = () => {
    clearTimeout(timer.current)
    setOpen(false)
  }
  const onOpenChange = (open: boolean) => {
    close()
    if (open) timer.current = setTimeout(() => setOpen(true), settleMs)
  }
  return (
    <TooltipTrigger trigger="focus" isOpen={isOpen} onOpenChange={onOpenChange}>
      <Focusable>{children}</Focusable>
      <Tooltip
        offset={6}
        className="appear z-50 max-w-72 rounded-md border border-line bg-raised px-2.5 py-1.5 text-sm text-text shadow-raised"
      >
        {reason}
      </Tooltip>
    </TooltipTrigger>
  )
}
