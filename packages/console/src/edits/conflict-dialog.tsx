import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import type { Difference } from './compare-texts.ts'
import { DifferenceView } from './difference-view.tsx'
import type { EditsOf } from './use-edits.ts'

interface ConflictDialogProps {
  edits: Pick<EditsOf<unknown>, 'keep' | 'discard' | 'overwrite' | 'isSaving'>
  /** The differences between the stored version and the edits. */
  differences: readonly Difference[]
  onOverwritten: () => void
}

/** Asks what to do with edits when another operator has saved in the meantime. Closing it keeps them. */
export function ConflictDialog({ edits, differences, onOverwritten }: ConflictDialogProps) {
  const overwrite = async () => {
    if (await edits.overwrite()) onOverwritten()
  }
  return (
    <Dialog title="Other changes were saved meanwhile" onClose={edits.keep} decision wide>
      <p className="pb-3 text-soft">
        They were saved after you began to edit, by another operator or in another tab. Your text is kept here. This is
        what it would change of theirs:
      </p>
      <DifferenceView differences={differences} />
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button onClick={edits.keep}>Keep editing</Button>
        <Button onClick={edits.discard}>Discard mine and load theirs</Button>
        <Button kind="danger" busy={edits.isSaving} onClick={() => void overwrite()}>
          Overwrite theirs with mine
        </Button>
      </div>
    </Dialog>
  )
}
