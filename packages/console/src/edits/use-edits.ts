import { Problem } from '@notify/sdk'
import { useRef, useState } from 'react'
import { useDraft } from '../ui/draft.ts'
import { isConflict } from './is-conflict.ts'
import { isSame, rebase } from './rebase.ts'

/** A form's error about a value, at its path in the request. */
export interface FormError {
  path: string
  message: string
}

/** The stored version, as a form. `revision` differs after each change. */
export interface Stored<Form> {
  form: Form
  revision: string
}

interface Edits<Form> {
  form: Form
  /** The version that was edited. */
  basis: Stored<Form>
  /** The version that caused a conflict: the edits of the form apply to it. */
  under?: Form
}

interface EditsOptions<Form> {
  /** The name of the draft in this tab. */
  name: string
  stored: Stored<Form>
  /** The errors that prevent saving this form. */
  errorsOf: (form: Form) => readonly FormError[]
  /** Saves a form. @returns the stored version @throws Problem `edit_conflict` when another revision is stored */
  write: (form: Form, revision: string) => Promise<Stored<Form>>
  /** Reads the stored version again. */
  reread: () => Promise<Stored<Form>>
}

/**
 * Edits of a resource that others may change too. They stay in this tab until they are saved or discarded. They overwrite
 * changes that others saved meanwhile only when the operator confirms it.
 */
export function useEdits<Form>({ name, stored, errorsOf, write, reread }: EditsOptions<Form>) {
  const edits = useDraft<Edits<Form> | null>(name, null)
  const [refusal, setRefusal] = useState<unknown>()
  const [isSaving, setSaving] = useState(false)
  const refused: readonly FormError[] = refusal instanceof Problem ? refusal.errors : []
  const basis = edits.value?.basis ?? stored
  const hasConflict = isConflict(refusal)
  const under = edits.value?.under ?? basis.form
  const edited = edits.value?.form ?? stored.form
  // While the operator decides, a poll may read a newer version than the one of the conflict.
  const form = hasConflict ? rebase(edited, under, stored.form) : edited
  const errors = [...errorsOf(form), ...refused]
  const latest = useRef(form)
  /** The form of the last save that failed, which may be stored: its answer may have been lost. */
  const unanswered = useRef<Form>(undefined)

  /** Adopts the changes of others, from one version to the next, to values without edits. */
  const putOnTop = (was: Form, next: Form) => {
    latest.current = rebase(latest.current, was, next)
    edits.set({ form: latest.current, basis, under: next })
  }
  const save = async (revision: string, mayRetry: boolean): Promise<Stored<Form>> => {
    try {
      return await write(form, revision)
    } catch (error) {
      if (!isConflict(error)) {
        unanswered.current = form
        throw error
      }
      const present = await reread()
      if (isSame(present.form, form)) return present
      // No other operator changed an edited value: it was published or deactivated, for example, or saved from here.
      const isOurs = [basis.form, unanswered.current].some((known) => isSame(present.form, known))
      if (mayRetry && !edits.value?.under && isOurs) return save(present.revision, false)
      putOnTop(hasConflict ? stored.form : under, present.form)
      throw error
    }
  }
  const saveAndClear = async (revision: string): Promise<boolean> => {
    if (isSaving || errorsOf(form).length > 0) return false
    setSaving(true)
    latest.current = form
    try {
      const saved = await save(revision, true)
      unanswered.current = undefined
      // Text that was typed after the request was sent stays an edit.
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
  return {
    form,
    stored,
    isChanged: edits.value !== null,
    isSaving,
    errors,
    /** Others have saved another version since the editing began. */
    hasConflict,
    /** The error of the last save, except a conflict. */
    refusal: hasConflict ? undefined : refusal,
    set(next: Form) {
      latest.current = next
      edits.set({ ...edits.value, form: next, basis })
    },
    discard() {
      setRefusal(undefined)
      edits.clear()
    },
    /** Continues with the edits; the next save has the same conflict. */
    keep: () => setRefusal(undefined),
    /** @returns whether it was saved; if not, the fields show the errors */
    save: () => saveAndClear(basis.revision),
    /** Saves over the latest version of others; values without edits stay theirs. */
    overwrite: () => saveAndClear(stored.revision),
  }
}

export type EditsOf<Form> = ReturnType<typeof useEdits<Form>>
