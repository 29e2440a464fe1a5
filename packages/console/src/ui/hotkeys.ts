import { useEffect, useEffectEvent } from 'react'

interface HotkeyOptions {
  /** Also while a drawer or dialog is open. */
  inDialogs?: boolean
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName))
const inDecision = () => document.querySelector('[role="alertdialog"]') !== null
const inDialog = () => document.querySelector('[role="dialog"], [role="alertdialog"]') !== null

/** Single keys such as `j` or `?`. They are ignored in text fields and with a modifier; `Esc` leaves a text field. */
export function useHotkeys(keys: Record<string, (event: KeyboardEvent) => void>, options: HotkeyOptions = {}): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (isTyping(event.target)) {
      if (event.key !== 'Escape' || inDialog()) return
      // Chromium would clear a search field, which removes the filter.
      event.preventDefault()
      ;(event.target as HTMLElement).blur()
      return
    }
    if (options.inDialogs ? inDecision() : inDialog()) return
    const act = keys[event.key]
    if (!act) return
    event.preventDefault()
    act(event)
  })
  useEffect(() => {
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
}
