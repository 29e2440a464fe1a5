import type { RowData } from '@tanstack/react-table'
import type { ReactNode } from 'react'
import type { AddressFilters } from './address-filters.ts'
import { Button } from './button.tsx'
import { FilterText } from './filter-controls.tsx'
import { ListPanel, type ListPanelProps } from './list-panel.tsx'
import { PageHeader } from './page-header.tsx'
import { EmptyState } from './states.tsx'

interface ListPageProps<Row extends RowData, Filters> extends Omit<ListPanelProps<Row>, 'label' | 'empty'> {
  title: string
  lead: string
  /** Buttons beside the title. */
  actions?: ReactNode
  address: AddressFilters<Filters>
  /** The text filter, which `/` focuses. */
  searchBy: keyof Filters & string
  searchLabel: string
  /** The search field; by default a text. */
  search?: ReactNode
  /** The other filters. */
  filters?: ReactNode
  /** Shown if the filters match nothing, with a hint. */
  noneFound: string
  noneFoundHint?: string
  /** Shown if the list is empty, with the first step. */
  noneYet: ReactNode
}

/** A list page: its purpose, search and filters in the address, and the rows. */
export function ListPage<Row extends RowData, Filters extends object>(props: ListPageProps<Row, Filters>) {
  const {
    title,
    lead,
    actions,
    address,
    searchBy,
    searchLabel,
    search,
    filters,
    noneFound,
    noneFoundHint,
    noneYet,
    ...panel
  } = props
  const isFiltered = Object.keys(address.filters).length > 0
  const clear = <Button onClick={address.clear}>Clear the filters</Button>
  return (
    <>
      <PageHeader title={title} lead={lead}>
        {actions}
      </PageHeader>
      <search className="flex flex-wrap gap-2 pb-3">
        {search ?? <FilterText label={searchLabel} type="search" {...address.field(searchBy)} />}
        {filters}
      </search>
      <ListPanel
        {...panel}
        label={title}
        empty={
          isFiltered ? (
            <EmptyState title={noneFound} action={clear}>
              {noneFoundHint}
            </EmptyState>
          ) : (
            noneYet
          )
        }
      />
    </>
  )
}
