import { Dialog } from '../ui/dialog.tsx'

const keys = [
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['Enter', 'Open the row'],
  ['Esc', 'Close what is open'],
  ['/', 'Search'],
  ['Ctrl K', 'Find a page, an id, an event or a recipient'],
  ['Ctrl S', 'Save an event or template'],
  ['?', 'This list'],
] as const

/** The keys that work everywhere. */
export function KeyList({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="grid grid-cols-[5rem_1fr] gap-y-2">
        {keys.map(([key, does]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="rounded border border-line bg-sunken px-1.5 py-0.5 font-mono text-xs">{key}</kbd>
            </dt>
            <dd className="text-soft">{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
