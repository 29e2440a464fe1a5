import { X } from 'lucide-react'
import { useState } from 'react'
import { recipientOf, tokenOf } from '../api/recipients.ts'
import { Button } from './button.tsx'
import { FilterText } from './filter-controls.tsx'
import { showToast } from './toasts.tsx'
import { useLatest } from './use-latest.ts'

interface FilterRecipientProps {
  label: string
  placeholder?: string
  /** The token in the address; empty: no filter. */
  value: string
  /** @param recipient what was typed */
  onChange: (token: string, recipient: string) => void
  /** Brings what is typed into the form of the API. */
  normalize?: (text: string) => string
  className?: string
}

/** A filter by a whole recipient. The address gets a token in its place; what was typed stays in this tab. */
export function FilterRecipient({ value, onChange, normalize = recipientOf, ...field }: FilterRecipientProps) {
  const [typed, setTyped] = useState<{ text: string; token: string }>()
  const ask = useLatest(value)
  const search = async (text: string) => {
    const isWanted = ask()
    const recipient = normalize(text)
    if (recipient === '') return onChange('', '')
    try {
      const token = await tokenOf(recipient)
      if (!isWanted()) return
      setTyped({ text, token })
      onChange(token, recipient)
    } catch (error) {
      if (isWanted()) showToast({ tone: 'bad', text: `Not searched: ${(error as Error).message}` })
    }
  }
  const known = typed?.token === value ? typed.text : ''
  return (
    <>
      <FilterText {...field} type="search" value={known} onChange={(text) => void search(text)} />
      {value !== '' && known === '' ? (
        <Button kind="quiet" onClick={() => void search('')}>
          One recipient
          <X size={14} aria-hidden />
          <span className="sr-only">Remove the filter</span>
        </Button>
      ) : null}
    </>
  )
}
