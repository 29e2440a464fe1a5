import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { Heading, Modal, ModalOverlay, Dialog as Primitive } from 'react-aria-components'

const veil = 'fixed inset-0 z-40 bg-veil appear'

interface DialogProps {
  title: string
  onClose: () => void
  children: ReactNode
  /** For decisions that must be made: a click beside it does not close it. */
  decision?: boolean
  /** Neither a click beside it nor Escape closes it. */
  stays?: boolean
  /** For texts that stand side by side or have long lines. */
  wide?: boolean
}

/** Takes the focus at once. The library waits for transitions to end, and without focus Escape does not reach the dialog. */
function useFocusInside(isOpen: boolean): RefObject<HTMLElement | null> {
  const inside = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isOpen && !inside.current?.contains(document.activeElement)) inside.current?.focus({ preventScroll: true })
  }, [isOpen])
  return inside
}

/** A dialog in the middle. It is open while it is rendered; focus goes in, and back where it came from. */
export function Dialog({ title, onClose, children, decision = false, stays = false, wide = false }: DialogProps) {
  // A drawer that is opened in the same moment, by a link or a reload, would take the focus from its dialog.
  const [isOpen, setOpen] = useState(false)
  useEffect(() => setOpen(true), [])
  const dialog = useFocusInside(isOpen)
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => open || onClose()}
      isDismissable={!decision && !stays}
      isKeyboardDismissDisabled={stays}
      className={`${veil} flex items-start justify-center px-4 pt-[12vh]`}
    >
      <Modal
        className={`w-full rounded-lg border border-line bg-raised shadow-raised ${wide ? 'max-w-3xl' : 'max-w-md'}`}
      >
        <Primitive
          ref={dialog}
          role={decision ? 'alertdialog' : 'dialog'}
          className="max-h-[76vh] overflow-y-auto p-5 outline-none"
        >
          <Heading slot="title" className="mb-2 text-lg font-semibold">
            {title}
          </Heading>
          {children}
        </Primitive>
      </Modal>
    </ModalOverlay>
  )
}

/** Details beside the list; full width on a telephone. */
export function DrawerFrame({ label, onClose, children }: { label: string; onClose: () => void; children: ReactNode }) {
  const drawer = useFocusInside(true)
  return (
    <ModalOverlay isOpen onOpenChange={(open) => open || onClose()} isDismissable className={veil}>
      <Modal className="slide-in fixed inset-y-0 right-0 w-full max-w-[560px] border-l border-line bg-raised shadow-raised">
        <Primitive ref={drawer} aria-label={label} className="flex h-full flex-col outline-none">
          {children}
        </Primitive>
      </Modal>
    </ModalOverlay>
  )
}
