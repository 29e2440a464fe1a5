import type { ReactNode } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { type Domain, type DomainRecord, needersOf, purposes, recordStatuses } from './words.ts'

/** Bytes of a character-string (RFC 1035, 3.3). */
const longestString = 255

/** One DNS record: its values to publish, and the result of the last lookup. */
export function RecordCard({ record, carriers }: { record: DomainRecord; carriers: Domain['carriers'] }) {
  const needers = needersOf(record, carriers)
  const { purpose, type, name, value, ttl, priority, status, found, error } = record
  const { name: title, does } = purposes[purpose]
  // Several carriers may need a record of the same purpose and type.
  const label = `${title} record ${type}${needers ? ` for ${needers}` : ''}`
  return (
    <section aria-label={label} className="border-b border-line px-4 py-3 last:border-b-0">
      <h2 className="flex flex-wrap items-center gap-x-2 pb-2">
        <span className="font-semibold">
          {title} <span className="font-mono text-xs font-normal">{type}</span>
        </span>
        <span className="flex-1 font-normal text-faint">{does}</span>
        <Badge tone={recordStatuses[status].tone}>{recordStatuses[status].name}</Badge>
      </h2>
      <dl className="grid grid-cols-[4.5rem_minmax(0,1fr)] gap-x-3 gap-y-1">
        <Value name="Name" text={name} what={`name of the ${title} record`} />
        <Value name="Value" text={value} what={`value of the ${title} record`} />
        {type === 'TXT' && value.length > longestString ? (
          <Plain name="">
            <span className="text-faint">
              Longer than one string of a TXT record. Most DNS providers split it by themselves; else publish several
              strings.
            </span>
          </Plain>
        ) : null}
        {priority === undefined ? null : <Plain name="Priority">{priority}</Plain>}
        <Plain name="TTL">{ttl} s</Plain>
        {needers ? <Plain name="For">{needers}</Plain> : null}
        {found && status !== 'verified' ? (
          <Plain name="Found">
            <PlainText className="font-mono text-xs whitespace-pre-wrap">{found}</PlainText>
          </Plain>
        ) : null}
      </dl>
      {error ? (
        <p
          className={`mt-2 rounded-md px-2.5 py-1.5 [overflow-wrap:anywhere] ${status === 'failed' ? 'bg-bad-fill text-bad' : 'bg-sunken'}`}
        >
          <PlainText>{error}</PlainText>
        </p>
      ) : null}
    </section>
  )
}

function Value({ name, text, what }: { name: string; text: string; what: string }) {
  return (
    <Plain name={name}>
      <span className="flex items-start gap-1">
        <code className="min-w-0 font-mono text-xs leading-5 [overflow-wrap:anywhere]">{text}</code>
        <CopyButton text={text} label={`Copy the ${what}`} />
      </span>
    </Plain>
  )
}

function Plain({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-faint">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  )
}
