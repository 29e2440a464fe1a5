import { X } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { IconButton } from './button.tsx'

export interface Toast {
  tone?: 'good' | 'bad'
  text: string
}

interface Shown extends Toast {
  id: number
}

const shownMs = 6000
const most = 3
const listeners = new Set<() => void>()
let toasts: readonly Shown[] = []
let lastId = 0

function replace(next: readonly Shown[]): void {
  toasts = next
  for (const tell of listeners) tell()
}

const dismiss = (id: number) => replace(toasts.filter((toast) => toast.id !== id))

/** Shows the result of an action. A failure stays until it is dismissed. */
export function showToast(toast: Toast): void {
  const id = ++lastId
  replace([...toasts.slice(1 - most), { ...toast, id }])
  if (toast.tone !== 'bad') setTimeout(() => dismiss(id), shownMs)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The region of toasts: not focused, but announced. `data-react-aria-top-layer` keeps it accessible over dialogs. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <section
      aria-label="Messages"
      aria-live="polite"
      data-react-aria-top-layer
      className="pointer-events-none fixed inset-x-4 bottom-4 z-50 flex flex-col items-end gap-2"
    >
      {shown.map(({ id, tone, text }) => (
        <div
          key={id}
          className={`appear pointer-events-auto flex max-w-md items-start gap-2 rounded-md border border-line bg-raised py-1.5 pr-1 pl-3 shadow-raised ${tone === 'bad' ? 'border-l-2 border-l-bad' : ''}`}
        >
          <p className="py-1 [overflow-wrap:anywhere]">{text}</p>
          <IconButton label="Dismiss" onClick={() => dismiss(id)}>
            <X size={14} aria-hidden />
          </IconButton>
        </div>
      ))}
    </section>
  )
}
