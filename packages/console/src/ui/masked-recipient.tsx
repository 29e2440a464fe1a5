import { PlainText } from './plain-text.tsx'

interface Masked {
  recipient_masked: string
  recipient_tag: string | null
}

/** A masked recipient with the tag that tells recipients of the same mask apart; one that is shown whole needs none. */
export function MaskedRecipient({ of: { recipient_masked, recipient_tag } }: { of: Masked }) {
  return (
    <>
      <PlainText>{recipient_masked}</PlainText>
      {recipient_tag !== null && recipient_masked.includes('*') ? (
        <code
          title="The same for all messages to one recipient; it says nothing about the address"
          className="ml-1.5 rounded bg-quiet-fill px-1 font-mono text-xs text-soft"
        >
          {recipient_tag}
        </code>
      ) : null}
    </>
  )
}
