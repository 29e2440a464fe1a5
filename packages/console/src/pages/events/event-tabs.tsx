import { Link, useSearchParams } from 'react-router'
import { type Channel, channelNames, channels } from '../../api/channels.ts'
import type { EventForm, FormError } from './event-form.ts'
import type { EventId } from './queries.ts'

export const settingsTab = 'settings'
export const versionsTab = 'versions'
export type Tab = Channel | typeof settingsTab | typeof versionsTab

interface EventTabsProps {
  id: EventId
  form: EventForm
  errors: readonly FormError[]
  current: Tab
}

/** The parts of an event: one for each channel, its settings and its versions. */
export function EventTabs({ id, form, errors, current }: EventTabsProps) {
  const tabs: [Tab, string][] = [
    ...channels.map((channel): [Tab, string] => [channel, channelNames[channel]]),
    [settingsTab, 'Settings'],
    [versionsTab, 'Versions'],
  ]
  return (
    <nav aria-label="Parts of the event" className="mb-4 flex gap-1 overflow-x-auto border-b border-line">
      {tabs.map(([tab, name]) => (
        <TabLink
          key={tab}
          id={id}
          tab={tab}
          name={name}
          isCurrent={tab === current}
          isEmpty={tab !== settingsTab && tab !== versionsTab && !form.templates[tab]}
          hasErrors={errors.some(({ path }) => tabOf(path) === tab)}
        />
      ))}
    </nav>
  )
}

/** The tab on which a value is edited. */
function tabOf(path: string): string {
  return path.startsWith('templates.') ? (path.split('.')[1] ?? '') : settingsTab
}

interface TabLinkProps {
  id: EventId
  tab: Tab
  name: string
  isCurrent: boolean
  isEmpty: boolean
  hasErrors: boolean
}

function TabLink({ id, tab, name, isCurrent, isEmpty, hasErrors }: TabLinkProps) {
  const [search] = useSearchParams()
  const params = new URLSearchParams(search)
  params.set('tab', tab)
  for (const other of ['version', 'cursor']) params.delete(other)
  return (
    <Link
      to={{ pathname: `/events/${id.applicationId}/${encodeURIComponent(id.eventKey)}`, search: params.toString() }}
      replace
      aria-current={isCurrent ? 'page' : undefined}
      className={`-mb-px border-b-2 px-2.5 py-1.5 whitespace-nowrap -outline-offset-2 ${isCurrent ? 'border-accent font-medium' : 'border-transparent hover:text-text'} ${isEmpty ? 'text-faint' : isCurrent ? 'text-text' : 'text-soft'}`}
    >
      {name}
      {hasErrors ? <span className="ml-1 text-bad">(to correct)</span> : null}
    </Link>
  )
}
