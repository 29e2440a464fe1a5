import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { Channel } from '../channels/channel.ts'
import { channelNames, channels, isChannel, type TemplateForms } from '../channels/table.ts'
import type { FormError } from '../edits/use-edits.ts'

export const settingsTab = 'settings'
export const versionsTab = 'versions'
export type Tab = Channel | typeof settingsTab | typeof versionsTab

/** The tab in the address, or else the first channel with a template. */
export function useTab(templates: Partial<Record<Channel, unknown>>): Tab {
  const [search] = useSearchParams()
  const named = search.get('tab') ?? ''
  if (named === versionsTab || named === settingsTab || isChannel(named)) return named
  return channels.find((channel) => templates[channel]) ?? 'email'
}

interface TemplateTabsProps {
  /** The accessible name of the tabs. */
  label: string
  forms: TemplateForms
  errors: readonly FormError[]
  current: Tab
  /** Tabs after those of the channels. */
  others: readonly (readonly [tab: Tab, name: string])[]
}

/** The parts of an event or stored template: one for each channel, and the others. */
export function TemplateTabs({ label, forms, errors, current, others }: TemplateTabsProps) {
  const tabs = [...channels.map((channel) => [channel, channelNames[channel]] as const), ...others]
  return (
    <TabBar label={label}>
      {tabs.map(([tab, name]) => (
        <TabLink
          key={tab}
          tab={tab}
          name={name}
          isCurrent={tab === current}
          isEmpty={isChannel(tab) && !forms[tab]}
          hasErrors={errors.some(({ path }) => tabOf(path) === tab)}
        />
      ))}
    </TabBar>
  )
}

/** Tabs whose name stands in the address. */
export function TabBar({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav aria-label={label} className="mb-4 flex gap-1 overflow-x-auto overflow-y-hidden border-b border-line">
      {children}
    </nav>
  )
}

/** The tab on which a value is edited. */
function tabOf(path: string): string {
  const [field, first = '', second = ''] = path.split('.')
  return field === 'templates' ? first : field === 'translations' ? second : settingsTab
}

interface TabLinkProps {
  tab: string
  name: string
  isCurrent: boolean
  isEmpty?: boolean
  hasErrors?: boolean
}

export function TabLink({ tab, name, isCurrent, isEmpty = false, hasErrors = false }: TabLinkProps) {
  const [search] = useSearchParams()
  const params = new URLSearchParams(search)
  params.set('tab', tab)
  for (const other of ['version', 'cursor']) params.delete(other)
  return (
    <Link
      to={{ search: params.toString() }}
      replace
      aria-current={isCurrent ? 'page' : undefined}
      className={`-mb-px border-b-2 px-2.5 py-1.5 whitespace-nowrap -outline-offset-2 ${isCurrent ? 'border-accent font-medium' : 'border-transparent hover:text-text'} ${isEmpty ? 'text-faint' : isCurrent ? 'text-text' : 'text-soft'}`}
    >
      {name}
      {hasErrors ? <span className="ml-1 text-bad">(to correct)</span> : null}
    </Link>
  )
}
