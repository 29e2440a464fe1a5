import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { Heading, Modal, ModalOverlay, Dialog as Primitive } from 'react-aria-components'

const veil = 'fixed inset-0 z-40 bg-veil appear'

interface DialogProps {
  title: string
  onClose: () => void
  children: ReactNode
  /** For required decisions: a click outside does not close the dialog. */
  decision?: boolean
  /** Neither a click outside nor Escape closes the dialog. */
  stays?: boolean
  /** For texts side by side or with long lines. */
  wide?: boolean
}

/** Takes the focus at once: the library waits for transitions, and without focus the dialog does not receive Escape. */
function useFocusInside(isOpen: boolean): RefObject<HTMLElement | null> {
  const inside = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isOpen && !inside.current?.contains(document.activeElement)) inside.current?.focus({ preventScroll: true })
  }, [isOpen])
  return inside
}

/** A centred dialog, open while it is rendered. It takes the focus, and returns it at the end. */
export function Dialog({ title, onClose, children, decision = false, stays = false, wide = false }: DialogProps) {
  // A drawer that opens at the same moment, by a link or a reload, would take the focus from its dialog.
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
          className="dialog-body max-h-[76vh] overflow-y-auto p-5 outline-none"
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

/** A dialog beside the list; full width on a telephone. */
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
