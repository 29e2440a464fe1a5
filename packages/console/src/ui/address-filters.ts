import { useSearchParams } from 'react-router'

export interface AddressFilters<Filters> {
  filters: Filters
  set: (name: keyof Filters & string, value: string) => void
  clear: () => void
  /** Value and change of one filter, for its control. */
  field: (name: keyof Filters & string) => { value: string; onChange: (value: string) => void }
}

/** Filters that stand in the address, so that a view can be linked to. The service says which values are wrong. */
export function useAddressFilters<Filters extends object>(
  names: readonly (keyof Filters & string)[],
): AddressFilters<Filters> {
  const [search, setSearch] = useSearchParams()
  const filters = Object.fromEntries(
    names.flatMap((name) => (search.get(name) ? [[name, search.get(name)]] : [])),
  ) as Filters
  const set = (name: keyof Filters & string, value: string) =>
    setSearch((present) => {
      const params = new URLSearchParams(present)
      // It belongs to the list of the filters before.
      params.delete('cursor')
      if (value) params.set(name, value)
      else params.delete(name)
      return params
    })
  return {
    filters,
    set,
    clear: () => setSearch({}),
    field: (name) => ({ value: search.get(name) ?? '', onChange: (value) => set(name, value) }),
  }
}
