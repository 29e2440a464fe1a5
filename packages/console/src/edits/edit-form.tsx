import type { ReactNode } from 'react'
import { Form } from '../ui/form.tsx'
import { compareTexts, type Named } from './compare-texts.ts'
import { ConflictDialog } from './conflict-dialog.tsx'
import type { EditsOf } from './use-edits.ts'

interface EditFormProps<Values> {
  /** The label of the button, for example `Save the settings`. */
  action: string
  edits: EditsOf<Values>
  /** Every text of a form with its label, to show differences. */
  textsOf: (values: Values) => readonly Named[]
  onSaved: () => void
  onCancel?: () => void
  children: ReactNode
}

/** A form for values that others may change too: it shows their changes before it overwrites them. */
export function EditForm<Values>({ action, edits, textsOf, onSaved, onCancel, children }: EditFormProps<Values>) {
  const save = async () => {
    if (await edits.save()) onSaved()
  }
  return (
    <>
      <Form action={action} onSubmit={save} refusal={edits.refusal} {...(onCancel ? { onCancel } : {})}>
        {children}
      </Form>
      {edits.hasConflict ? (
        <ConflictDialog
          edits={edits}
          differences={compareTexts(textsOf(edits.stored.form), textsOf(edits.form))}
          onOverwritten={onSaved}
        />
      ) : null}
    </>
  )
}
