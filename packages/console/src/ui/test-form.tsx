import type { components } from '@notify/sdk'
import { useMutation } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useState } from 'react'
import { Button } from './button.tsx'
import { Problems } from './error-state.tsx'
import { TextField } from './field.tsx'
import { TestResult } from './test-result.tsx'

interface TestFormProps {
  /** The label of the recipient: `Your number`. */
  label: string
  hint: string
  send: (recipient: string) => Promise<components['schemas']['TestMessage']>
}

/** Sends a test message to the operator, and shows the answer of the carrier below the button. The recipient is stored nowhere. */
export function TestForm({ label, hint, send }: TestFormProps) {
  const [recipient, setRecipient] = useState('')
  const test = useMutation({ mutationFn: () => send(recipient.trim()) })
  return (
    <form
      noValidate
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (!test.isPending) test.mutate()
      }}
    >
      <TextField
        label={label}
        name="recipient"
        hint={hint}
        value={recipient}
        spellCheck={false}
        onChange={({ target }) => setRecipient(target.value)}
      />
      <div>
        <Button type="submit" busy={test.isPending}>
          <Send size={14} aria-hidden />
          {test.isPending ? 'Asking the carrier' : 'Send a test'}
        </Button>
      </div>
      <div aria-live="polite">
        {test.error ? <Problems error={test.error} /> : test.data ? <TestResult result={test.data} /> : null}
      </div>
    </form>
  )
}
