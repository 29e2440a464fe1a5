import { ExternalLink } from 'lucide-react'
import { Badge } from '../../ui/badge.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { MaskedCell } from '../../ui/masked-recipient.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ExactTime, Time } from '../../ui/time.tsx'
import { timeColumn } from '../../ui/time-column.tsx'
import { actions, type ConsentEntry, maskNumber, sourceName } from './words.ts'

const number: Column<ConsentEntry> = {
  id: 'number',
  header: 'Number',
  cell: ({ phone_e164, recipient_tag }) => (
    <span className="tabular-nums">
      <MaskedCell of={{ recipient_masked: maskNumber(phone_e164), recipient_tag }} />
    </span>
  ),
}

const entry: Column<ConsentEntry>[] = [
  {
    id: 'action',
    header: 'Entry',
    cell: ({ action }) => <Badge tone={actions[action].tone}>{actions[action].name}</Badge>,
  },
  {
    id: 'source',
    header: 'Source',
    cell: ({ source }) => <span className="block truncate">{sourceName(source)}</span>,
    grow: 'narrow',
  },
  {
    id: 'reference',
    header: 'Reference',
    cell: ({ reference }) => reference && <PlainText className="block truncate text-soft">{reference}</PlainText>,
    grow: 'wide',
    wide: true,
  },
  {
    id: 'evidence',
    header: 'Evidence',
    cell: ({ evidence_url }) => evidence_url && <Evidence url={evidence_url} />,
    wide: true,
  },
]

/** The full text, if there is room for it. */
const recorded: Column<ConsentEntry> = {
  id: 'recorded',
  header: 'Recorded',
  cell: ({ recorded_at }) => (
    <>
      <span className="text-soft max-md:hidden">
        <ExactTime at={recorded_at} />
      </span>
      <Time at={recorded_at} className="text-soft md:hidden" />
    </>
  ),
  align: 'right',
}

/** Columns for entries of many numbers. */
export const ledgerColumns = [number, ...entry, timeColumn<ConsentEntry>('Recorded', ({ recorded_at }) => recorded_at)]
/** Columns for entries of one number. */
export const historyColumns = [...entry, recorded]

/** Opens in a new tab without a referrer: the page's address contains the number. */
function Evidence({ url }: { url: string }) {
  return (
    <a
      href={url}
      target="_blank"
      rel="noreferrer"
      title={url}
      className="inline-flex items-center gap-1 text-accent underline underline-offset-2"
    >
      Show
      <ExternalLink size={12} aria-hidden />
    </a>
  )
}
