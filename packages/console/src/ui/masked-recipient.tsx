import { PlainText } from './plain-text.tsx'

interface Masked {
  recipient_masked: string
  recipient_tag: string | null
}

/** A masked recipient with the tag that tells recipients of the same mask apart; one that is shown whole needs none. */
export function MaskedRecipient({ of }: { of: Masked }) {
  return (
    <>
      <PlainText>{of.recipient_masked}</PlainText>
      <Tag of={of} />
    </>
  )
}

/** The same in a cell of a table: where there is no room the mask is cut off, and never the tag. */
export function MaskedCell({ of }: { of: Masked }) {
  return (
    <span className="flex min-w-0 items-baseline">
      <PlainText className="min-w-0 truncate">{of.recipient_masked}</PlainText>
      <Tag of={of} />
    </span>
  )
}

function Tag({ of: { recipient_masked, recipient_tag } }: { of: Masked }) {
  if (recipient_tag === null || !recipient_masked.includes('*')) return null
  return (
    <code
      title="The same for all messages to one recipient; it says nothing about the address"
      className="ml-1.5 shrink-0 rounded bg-quiet-fill px-1 font-mono text-xs text-soft"
    >
      {recipient_tag}
    </code>
  )
}
