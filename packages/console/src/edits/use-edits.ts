import { Problem } from '@notify/sdk'
import { useRef, useState } from 'react'
import { useDraft } from '../ui/draft.ts'
import { isSame, rebase } from './rebase.ts'

/** A form's error about a value, at its path in the request. */
export interface FormError {
  path: string
  message: string
}

/** What is stored, as a form. `revision` is another one after each change. */
export interface Stored<Form> {
  form: Form
  revision: string
}

interface Edits<Form> {
  form: Form
  /** What the edits began with. */
  basis: Stored<Form>
  /** The version that caused a conflict at a save: the form's edits apply to it. */
  under?: Form
}

interface EditsOptions<Form> {
  /** Of the draft in this tab. */
  name: string
  stored: Stored<Form>
  /** What keeps this form from being saved. */
  errorsOf: (form: Form) => readonly FormError[]
  /** Saves a form. @returns what is stored then @throws Problem `edit_conflict` when another revision is stored */
  write: (form: Form, revision: string) => Promise<Stored<Form>>
  /** Reads again what is stored. */
  reread: () => Promise<Stored<Form>>
}

/**
 * Edits of something that others may change too. They stay in this tab until they are saved or discarded; what others
 * saved meanwhile is overwritten only when the operator confirms it.
 */
export function useEdits<Form>({ name, stored, errorsOf, write, reread }: EditsOptions<Form>) {
  const edits = useDraft<Edits<Form> | null>(name, null)
  const [refusal, setRefusal] = useState<unknown>()
  const [isSaving, setSaving] = useState(false)
  const form = edits.value?.form ?? stored.form
  const refused: readonly FormError[] = refusal instanceof Problem ? refusal.errors : []
  const errors = [...errorsOf(form), ...refused]
  const basis = edits.value?.basis ?? stored
  const latest = useRef(form)

  /** Takes over what only others have changed. */
  const putOnTop = (under: Form) => {
    latest.current = rebase(latest.current, edits.value?.under ?? basis.form, under)
    edits.set({ form: latest.current, basis, under })
  }
  const save = async (revision: string, mayRetry: boolean): Promise<Stored<Form>> => {
    try {
      return await write(form, revision)
    } catch (error) {
      if (!isConflict(error)) throw error
      const present = await reread()
      // Published or deactivated meanwhile, for example: nothing that was edited has changed.
      if (mayRetry && isSame(present.form, basis.form)) return save(present.revision, false)
      putOnTop(present.form)
      throw error
    }
  }
  const saveAndClear = async (revision: string): Promise<boolean> => {
    if (isSaving || errorsOf(form).length > 0) return false
    setSaving(true)
    latest.current = form
    try {
      const saved = await save(revision, true)
      // What was typed since the request left stays an edit.
      if (latest.current === form) edits.clear()
      else edits.set({ form: latest.current, basis: saved })
    } catch (error) {
      setRefusal(error)
      return false
    } finally {
      setSaving(false)
    }
    setRefusal(undefined)
    return true
  }
  const hasConflict = isConflict(refusal)
  return {
    form,
    stored,
    isChanged: edits.value !== null,
    isSaving,
    errors,
    /** Others have saved since these edits began. */
    hasConflict,
    /** Why it was not saved, unless it is the conflict. */
    refusal: hasConflict ? undefined : refusal,
    /** The same, when no field shows it. */
    fault: refusal !== undefined && refused.length === 0 && !hasConflict ? refusal : undefined,
    set(next: Form) {
      latest.current = next
      edits.set({ ...edits.value, form: next, basis })
    },
    discard() {
      setRefusal(undefined)
      edits.clear()
    },
    /** Continues with the edits; the next save meets the same conflict. */
    keep: () => setRefusal(undefined),
    /** @returns whether it was saved; if not, the fields show why */
    save: () => saveAndClear(basis.revision),
    /** Saves over the latest version of others: values that were not edited stay theirs. */
    overwrite: () => saveAndClear(stored.revision),
  }
}

export type EditsOf<Form> = ReturnType<typeof useEdits<Form>>

const isConflict = (error: unknown): boolean => error instanceof Problem && error.code === 'edit_conflict'
