import type { Channel } from '../../channels/channel.ts'
import { channelNames } from '../../channels/table.ts'
import { useAddressFilters } from '../../ui/address-filters.ts'
import { ApplicationFilter } from '../../ui/application-choice.tsx'
import { FilterChoice } from '../../ui/filter-choice.tsx'
import { FilterMoment, FilterText } from '../../ui/filter-controls.tsx'
import { FilterRecipient } from '../../ui/filter-recipient.tsx'
import { type Mode, useMode } from '../../ui/mode.ts'
import { TimePresets } from '../../ui/time-presets.tsx'
import { type Status, statuses } from './words.ts'

export interface Filters {
  channel?: Channel
  status?: Status
  mode?: Mode
  application_id?: string
  event_key?: string
  recipient_token?: string
  locale?: string
  broadcast_id?: string
  digest_id?: string
  from?: string
  to?: string
}

const names = [
  'channel',
  'status',
  'mode',
  'application_id',
  'event_key',
  'recipient_token',
  'locale',
  'broadcast_id',
  'digest_id',
  'from',
  'to',
] as const

/** The filters of the address, and the mode that the frame shows. */
export function useFilters() {
  const address = useAddressFilters<Filters>(names)
  const { mode, choose } = useMode()
  const clear = () => {
    choose(undefined)
    address.clear()
  }
  return { ...address, filters: mode ? { ...address.filters, mode } : address.filters, clear }
}

const statusOptions = Object.entries(statuses).map(([value, { name }]) => ({ value, label: name }))
const channelOptions = Object.entries(channelNames).map(([value, label]) => ({ value, label }))

/** The row of filters above the list. A part of a recipient finds nothing, because only a keyed hash of it is stored. */
export function FilterBar({ of }: { of: ReturnType<typeof useFilters>['field'] }) {
  return (
    <search className="flex flex-wrap gap-2 pb-3">
      <FilterRecipient label="Whole recipient" className="min-w-52 flex-1" {...of('recipient_token')} />
      <FilterText label="Event key" className="max-md:w-full md:w-48" {...of('event_key')} />
      <FilterText
        label="Language"
        placeholder="Language, such as pt-BR"
        className="max-md:w-full md:w-44"
        {...of('locale')}
      />
      <FilterText
        label="Broadcast"
        placeholder="Id of a broadcast"
        className="max-md:w-full md:w-44"
        {...of('broadcast_id')}
      />
      <FilterText label="Digest" placeholder="Id of a digest" className="max-md:w-full md:w-44" {...of('digest_id')} />
      <FilterChoice label="Status" options={statusOptions} {...of('status')} />
      <FilterChoice label="Channel" options={channelOptions} {...of('channel')} />
      <ApplicationFilter {...of('application_id')} />
      <TimePresets from={of('from')} to={of('to')} />
      <FilterMoment label="From" {...of('from')} />
      <FilterMoment label="To" {...of('to')} />
    </search>
  )
}
