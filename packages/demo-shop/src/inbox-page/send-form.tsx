import { type FormEvent, useState } from 'react'
import { postJson } from './post-json.ts'

/** Sends a notification to the user who looks at the page. */
export function SendForm({ userId }: { userId: string }) {
  const [outcome, setOutcome] = useState('')
  const [isSending, setSending] = useState(false)
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isSending) return
    setSending(true)
    setOutcome('Sending…')
    try {
      const fields = Object.fromEntries(new FormData(event.currentTarget))
      await postJson('/demo/send', { user_id: userId, ...fields })
      setOutcome('Accepted. It appears in the bell above.')
    } catch (error) {
      setOutcome(`Not sent: ${(error as Error).message}`)
    } finally {
      setSending(false)
    }
  }
  return (
    <form className="send" onSubmit={send}>
      <label>
        Title
        <input name="title" required maxLength={200} defaultValue="Order A-1001 shipped" />
      </label>
      <label>
        Message
        <textarea name="body" required rows={3} defaultValue="Hi Ada, your order is on its way." />
      </label>
      <label>
        Link (optional)
        <input name="action_url" placeholder="/orders/A-1001" />
      </label>
      <button type="submit" aria-disabled={isSending}>
        Send to myself
      </button>
      <p role="status">{outcome}</p>
    </form>
  )
}
